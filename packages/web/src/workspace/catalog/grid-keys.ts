/** Where each item is, in rows of one grid after another: groups begin a row of their own. */
export type Cell = { row: number; column: number };

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
