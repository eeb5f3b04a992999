/** Where a key leads from a row of a list; "before" is the field above the list. Undefined: not a key of the list. */
export function rowAfter(key: string, row: number, count: number): number | "before" | undefined {
  switch (key) {
    case "ArrowDown":
      return Math.min(row + 1, count - 1);
    case "ArrowUp":
      return row <= 0 ? "before" : row - 1;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}
