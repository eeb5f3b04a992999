import { type CatalogPanel, PANEL_CATEGORIES, type PanelCategory } from "@backplane/contract/panels";

export type Category = PanelCategory | "All";
type Group = { category: PanelCategory; panels: CatalogPanel[] };

const plain = (text: string): string => text.normalize("NFKD").toLowerCase();

/** Every word must be there: in the name, what it is for, or its category. */
export function searchCatalog(panels: readonly CatalogPanel[], query: string): CatalogPanel[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  return panels.filter(({ name, description, category, kind }) => {
    const text = plain(`${name} ${description} ${category} ${kind}`);
    return words.every((word) => text.includes(word));
  });
}

/** The place of what was most likely meant: a name that begins so before one that does not, what is built before what is not. */
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

/** In the order of the catalog, without what has nothing. */
export function groupsOf(panels: readonly CatalogPanel[], category: Category): Group[] {
  return PANEL_CATEGORIES.map((each) => ({
    category: each,
    panels: panels.filter((panel) => panel.category === each),
  })).filter((group) => group.panels.length > 0 && (category === "All" || group.category === category));
}

/** How many of what was found each category has; "All" first. */
export function countsOf(panels: readonly CatalogPanel[]): [Category, number][] {
  return [
    ["All", panels.length],
    ...PANEL_CATEGORIES.map((each): [Category, number] => [
      each,
      panels.filter(({ category }) => category === each).length,
    ]),
  ];
}

/** Where each item is, in rows of one grid after another: groups begin a row of their own. */
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

/** Arrows over the grid, from one item to another; at an edge it stays. */
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
      // A short row is left through its last item, not skipped.
      const inRow = cells.flatMap((cell, place) => (cell.row === row ? [{ ...cell, place }] : []));
      const found = inRow.findLast(({ column }) => column <= here.column);
      return found?.place ?? from;
    }
  }
  return undefined;
}
