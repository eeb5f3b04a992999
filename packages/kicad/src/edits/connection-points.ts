import { isBusName } from "../nets/index.ts";
import { type Item, isOnLine, type Line, type Point, placeKey, type Schematic, samePlace } from "../schematic/index.ts";

/** Wires and buses may cross and share places without being connected. */
export type World = "wire" | "bus";

export interface ConnectionPoint {
  readonly item: Item;
  readonly at: Point;
  readonly world: World;
}

/** The places of an item where others connect. */
export function connectionPoints(item: Item): ConnectionPoint[] {
  const point = (at: Point, world: World = "wire"): ConnectionPoint => ({ item, at, world });
  const named = (at: Point, name: string) => point(at, isBusName(name) ? "bus" : "wire");
  switch (item.kind) {
    case "symbol":
      return item.pins.map((pin) => point(pin.at));
    case "wire":
    case "bus":
      return [point(item.start, item.kind), point(item.end, item.kind)];
    case "junction":
      return [point(item.at), point(item.at, "bus")];
    case "no_connect":
      return [point(item.at)];
    case "label":
      return item.scope === "directive" ? [point(item.at), point(item.at, "bus")] : [named(item.at, item.text)];
    case "bus_entry":
      return [item.at, item.end].flatMap((at) => [point(at), point(at, "bus")]);
    case "sheet":
      return item.pins.map((pin) => named(pin.at, pin.name));
    default:
      return [];
  }
}

export const isLine = (item: Item): item is Line<"wire"> | Line<"bus"> => item.kind === "wire" || item.kind === "bus";

/** Whether `point` is on the line but at neither end. */
export const isInside = (point: Point, line: { readonly start: Point; readonly end: Point }): boolean =>
  isOnLine(point, line.start, line.end) && !samePlace(point, line.start) && !samePlace(point, line.end);

const directionKey = (from: Point, to: Point): string => {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  return `${(dx / length).toFixed(4)},${(dy / length).toFixed(4)}`;
};

/**
 * Whether KiCad would draw a junction at `point`: three ways or more meet, a pin counts as one of them, and something ends
 * there. Two wires that only cross do not meet.
 */
export function needsJunction(items: readonly Item[], point: Point, world: World): boolean {
  const ways = new Set<string>();
  let ends = false;
  for (const item of items) {
    if (isLine(item) && item.kind === world) {
      if (!isOnLine(point, item.start, item.end)) continue;
      const [atStart, atEnd] = [samePlace(point, item.start), samePlace(point, item.end)];
      if (!atStart) ways.add(directionKey(point, item.start));
      if (!atEnd) ways.add(directionKey(point, item.end));
      ends ||= atStart || atEnd;
    } else if (item.kind === "symbol" || item.kind === "sheet") {
      if (!connectionPoints(item).some((pin) => pin.world === world && samePlace(pin.at, point))) continue;
      ways.add("pin");
      ends = true;
    }
  }
  return ends && ways.size >= 3;
}

/** Places where a junction is. */
export function junctionPlaces(schematic: Schematic): Set<string> {
  return new Set(schematic.items.flatMap((item) => (item.kind === "junction" ? [placeKey(item.at)] : [])));
}
