import { PANEL_CATEGORIES } from "@backplane/contract/panels";
import { type Choice, isCommand } from "./commands.ts";

export type Category = Choice["category"] | "All";
export type Group = { title: string; choices: Choice[] };

/** Shown once there is something in them. */
const FROM_PACKAGES = ["From packages", "Get more"] as const;
const CATEGORIES = [...PANEL_CATEGORIES, ...FROM_PACKAGES, "Commands"] as const;

/** What is not in the workspace is shown when somebody looks for more. */
const isInAll = ({ category }: Pick<Choice, "category">): boolean => category !== "Get more";

const plain = (text: string): string => text.normalize("NFKD").toLowerCase();

/** Panels whose name, description or category contain every word; commands by their name. */
export function searchCatalog(choices: readonly Choice[], query: string): Choice[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  return choices.filter((choice) => {
    const { name, description, category, kind } = choice;
    // The description of a command names a tab, which is not what somebody who adds such a panel searches for.
    const text = plain(isCommand(choice) ? `${name} ${category}` : `${name} ${description} ${category} ${kind}`);
    return words.every((word) => text.includes(word));
  });
}

/** The position of the likeliest choice: names that are, start with or contain the query come first. */
export function likeliest(choices: readonly Choice[], query: string): number {
  const wanted = plain(query.trim());
  const rank = ({ name }: Choice): number => {
    const words = plain(name);
    const isNamed = words.startsWith(wanted) ? 2 : words.includes(wanted) ? 1 : 0;
    return words === wanted ? 3 : isNamed;
  };
  const ranks = choices.map(rank);
  return wanted === "" ? 0 : Math.max(0, ranks.indexOf(Math.max(...ranks)));
}

/** In the order of the catalog, without empty groups. */
export function groupsOf(choices: readonly Choice[], category: Category): Group[] {
  const shown = CATEGORIES.filter((each) => category === each || (category === "All" && isInAll({ category: each })));
  return shown
    .map((each) => ({ title: each, choices: choices.filter(({ category: own }) => own === each) }))
    .filter((group) => group.choices.length > 0);
}

/** The number of found choices per category; "All" comes first. */
export function countsOf(choices: readonly Choice[]): [Category, number][] {
  const counts: [Category, number][] = [
    ["All", choices.filter(isInAll).length],
    ...CATEGORIES.map((each): [Category, number] => [each, choices.filter(({ category }) => category === each).length]),
  ];
  return counts.filter(([name, count]) => count > 0 || !FROM_PACKAGES.some((each) => each === name));
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
