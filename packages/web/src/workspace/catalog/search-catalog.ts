import { type CatalogPanel, PANEL_CATEGORIES, type PanelCategory } from "@backplane/contract/panels";

export type Category = PanelCategory | "All";
export type Group = { category: PanelCategory; panels: CatalogPanel[] };

const plain = (text: string): string => text.normalize("NFKD").toLowerCase();

/** Panels whose name, description or category contain every word. */
export function searchCatalog(panels: readonly CatalogPanel[], query: string): CatalogPanel[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  return panels.filter(({ name, description, category, kind }) => {
    const text = plain(`${name} ${description} ${category} ${kind}`);
    return words.every((word) => text.includes(word));
  });
}

/** The position of the likeliest panel: built ones first, then names that start with or contain the query. */
export function likeliest(panels: readonly CatalogPanel[], query: string): number {
  const wanted = plain(query.trim());
  const rank = ({ name, built }: CatalogPanel): number => {
    const words = plain(name);
    const isNamed = words.startsWith(wanted) ? 2 : words.includes(wanted) ? 1 : 0;
    return (words === wanted ? 10 : 0) + (built ? 3 : 0) + isNamed;
  };
  const ranks = panels.map(rank);
  return wanted === "" ? 0 : Math.max(0, ranks.indexOf(Math.max(...ranks)));
}

/** In the order of the catalog, without empty groups. */
export function groupsOf(panels: readonly CatalogPanel[], category: Category): Group[] {
  return PANEL_CATEGORIES.map((each) => ({
    category: each,
    panels: panels.filter((panel) => panel.category === each),
  })).filter((group) => group.panels.length > 0 && (category === "All" || group.category === category));
}

/** The number of found panels per category; "All" comes first. */
export function countsOf(panels: readonly CatalogPanel[]): [Category, number][] {
  return [
    ["All", panels.length],
    ...PANEL_CATEGORIES.map((each): [Category, number] => [
      each,
      panels.filter(({ category }) => category === each).length,
    ]),
  ];
}

/** The position of each item in the grid: every group starts a new row. */
type Cell = { row: number; column: number };

export function cellsOf(groupSizes: readonly number[], columns: number): Cell[] {
  let firstRow = 0;
  return groupSizes.flatMap((size) => {
    const from = firstRow;
    firstRow += Math.ceil(size / columns);
    return Array.from({ length: size }, (_, place) => ({
      row: from + Math.floor(place / columns),
      column: place % columns,
    }));
  });
}

/** The item that an arrow key moves to; it stops at the edges. */
export function gridMove(key: string, from: number, cells: readonly Cell[]): number | undefined {
  const last = cells.length - 1;
  const here = cells[from];
  switch (key) {
    case "ArrowRight":
      return Math.min(from + 1, last);
    case "ArrowLeft":
      return Math.max(from - 1, 0);
    case "ArrowDown":
    case "ArrowUp": {
      if (!here) return last < 0 ? undefined : 0;
      const row = here.row + (key === "ArrowDown" ? 1 : -1);
      // In a shorter row, its last item.
      const inRow = cells.flatMap((cell, place) => (cell.row === row ? [{ ...cell, place }] : []));
      const found = inRow.findLast(({ column }) => column <= here.column);
      return found?.place ?? from;
    }
  }
  return undefined;
}
