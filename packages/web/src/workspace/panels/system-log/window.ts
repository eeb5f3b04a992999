import { END_TOLERANCE_PX, OVERSCAN_ROWS } from "./limits.ts";

export type Viewport = { scrollTop: number; height: number; rowPx: number };

/** Rows from `first` to before `end` are drawn. */
export type Range = { first: number; end: number };

/** However long the list and wherever it was scrolled, no more is drawn than what is in view and a little around it. */
export function rangeOf({ scrollTop, height, rowPx }: Viewport, count: number): Range {
  const top = Math.min(Math.max(0, scrollTop), Math.max(0, count * rowPx - height));
  const first = Math.max(0, Math.floor(top / rowPx) - OVERSCAN_ROWS);
  const end = Math.min(count, Math.ceil((top + height) / rowPx) + OVERSCAN_ROWS);
  return { first: Math.min(first, end), end };
}

export const isAtEnd = ({ scrollTop, height, rowPx }: Viewport, count: number): boolean =>
  scrollTop + height >= count * rowPx - END_TOLERANCE_PX;

/** Where to scroll so that a row is in view; nowhere when it is. */
export function scrollFor({ scrollTop, height, rowPx }: Viewport, row: number): number {
  const top = row * rowPx;
  if (top < scrollTop) return top;
  return top + rowPx > scrollTop + height ? top + rowPx - height : scrollTop;
}

/** Where a key leads; undefined: it is none of the list's. Without a chosen row, the way starts at the last one in view. */
export function rowFor(key: string, chosen: number, count: number, viewport: Viewport): number | undefined {
  if (count === 0) return undefined;
  const page = Math.max(1, Math.floor(viewport.height / viewport.rowPx) - 1);
  const inView = Math.min(count, Math.floor((viewport.scrollTop + viewport.height) / viewport.rowPx));
  const steps: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page };
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = steps[key];
  if (step === undefined) return undefined;
  return Math.min(count - 1, Math.max(0, (chosen === -1 ? inView : chosen) + step));
}
