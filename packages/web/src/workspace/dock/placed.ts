import type { CSSProperties } from "react";
import type { Rect } from "./geometry.ts";

/** A rectangle as a style. `order` is where it is read and reached by Tab, whatever its place in the document. */
export const placed = ({ x, y, width, height }: Rect, order: number): CSSProperties => ({
  ...{ left: x, top: y, width, height },
  ...{ "--order": order },
});
