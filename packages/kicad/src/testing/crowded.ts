import { Drawing } from "./draw.ts";

/** A sheet with `count` parts that all touch the same few nets. */
export function crowded(count: number): string {
  const drawing = new Drawing();
  for (let at = 0; at < count; at++) {
    drawing
      .symbol("R", `R${at}`, [at * 4, 10])
      .wire([at * 4, 7], [at * 4 + 4, 7])
      .label("A", [at * 4, 7])
      .power("GND", [at * 4, 13]);
  }
  return String(drawing);
}
