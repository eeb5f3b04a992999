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

type Pressed = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean; defaultPrevented: boolean };

/** Whether a key press means "go to the search": "/", except while typing in a field. */
export function meansSearch(press: Pressed, target: { tagName?: string; isContentEditable?: boolean } | null): boolean {
  if (press.key !== "/" || press.ctrlKey || press.metaKey || press.altKey || press.defaultPrevented) return false;
  return !/^(input|textarea|select)$/i.test(target?.tagName ?? "") && target?.isContentEditable !== true;
}
