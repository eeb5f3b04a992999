import type { Item, Point, Schematic } from "../schematic/index.ts";
import type { Splice } from "../sexpr/index.ts";
import { followWires, moved } from "./follow.ts";
import { insertItems, placesOf, setPoint, writerFor } from "./text.ts";

/** Moves items with their texts. With `wires: "follow"` everything stays connected that was. */
export function moveItems(
  schematic: Schematic,
  items: readonly Item[],
  delta: Point,
  { wires, newUuid }: { wires: "follow" | "stay"; newUuid: () => string },
): Splice[] {
  const writer = writerFor(schematic, newUuid);
  const selected = new Set(items);
  if (delta.x === 0 && delta.y === 0) return [];
  const splices = [...selected].flatMap((item) => placesOf(item.node).flatMap((place) => shift(place, delta)));
  if (wires === "stay") return splices;
  const followed = followWires({ schematic, writer, selected, delta });
  return [...splices, ...followed.splices, ...insertItems(schematic, followed.nodes)];
}

function shift(place: ReturnType<typeof placesOf>[number], delta: Point): Splice[] {
  const [, x, y] = place.items;
  if (x?.kind !== "word" || y?.kind !== "word") return [];
  return setPoint(place, moved({ x: Number(x.value), y: Number(y.value) }, delta));
}
