import { connectionPoints } from "../edits/index.ts";
import { LineIndex } from "../nets/index.ts";
import { type Item, itemsOf, type Line, type Point, placeKey, type SheetInstance } from "../schematic/index.ts";

/** What is at the places of one sheet. */
export interface Touching {
  /** The items that connect at a place, each once. */
  at(point: Point): readonly Item[];
  wiresThrough(point: Point): readonly Line[];
  busesThrough(point: Point): readonly Line[];
}

export function readTouching({ schematic }: SheetInstance): Touching {
  const items = new Map<string, Set<Item>>();
  for (const item of schematic.items) {
    for (const { at } of connectionPoints(item)) {
      const here = items.get(placeKey(at)) ?? new Set();
      items.set(placeKey(at), here.add(item));
    }
  }
  const [wires, buses] = [new LineIndex(itemsOf(schematic, "wire")), new LineIndex(itemsOf(schematic, "bus"))];
  return {
    at: (point) => [...(items.get(placeKey(point)) ?? [])],
    wiresThrough: (point) => wires.through(point),
    busesThrough: (point) => buses.through(point),
  };
}
