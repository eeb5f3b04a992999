import {
  type Item,
  type Mirror,
  normalAngle,
  type Point,
  round,
  type Schematic,
  symbolTransform,
} from "../schematic/index.ts";
import { child, children, type List, numbersIn, type Splice, textOf } from "../sexpr/index.ts";
import { placesOf, removeList, setNumber, setPoint, writerFor } from "./text.ts";

/** A quarter turn to the left, to the right, or a flip: `x` exchanges above and below, `y` left and right. */
export type Turn = "left" | "right" | Mirror;

const turnPoint = (point: Point, center: Point, turn: Turn): Point => {
  const [dx, dy] = [point.x - center.x, point.y - center.y];
  const [x, y] = {
    left: [dy, -dx],
    right: [-dy, dx],
    x: [dx, -dy],
    y: [-dx, dy],
  }[turn] as [number, number];
  return { x: round(center.x + x), y: round(center.y + y) };
};

/** The direction of a label or pin after a turn. */
function turnAngle(angle: number, turn: Turn): number {
  if (turn === "left") return normalAngle(angle + 90);
  if (turn === "right") return normalAngle(angle - 90);
  return normalAngle(turn === "x" ? -angle : 180 - angle);
}

/** Turns or flips items around `center`, with their texts. Wires that stay are not changed. */
export function turnItems(schematic: Schematic, items: readonly Item[], center: Point, turn: Turn): Splice[] {
  writerFor(schematic, () => "");
  return [...new Set(items)].flatMap((item) => turnItem(schematic, item, center, turn));
}

function turnItem(schematic: Schematic, item: Item, center: Point, turn: Turn): Splice[] {
  if (item.kind === "sheet") return turnSheet(item.node, center, turn);
  if (item.kind === "bus_entry") return turnEntry(item.node, center, turn);
  const splices = placesOf(item.node).flatMap((place) => setPoint(place, turnPoint(pointOf(place), center, turn)));
  if (item.kind === "symbol") return [...splices, ...turnSymbol(schematic, item, turn)];
  if (item.kind === "label") {
    const angle = turnAngle(item.angle, turn);
    return [...splices, ...setNumber(child(item.node, "at"), 3, angle), ...justifyFor(item.node, angle)];
  }
  if (item.kind === "text" && (turn === "left" || turn === "right")) {
    return [...splices, ...setNumber(child(item.node, "at"), 3, normalAngle(item.angle + 90) % 180)];
  }
  return splices;
}

const pointOf = (list: List): Point => {
  const [x = 0, y = 0] = numbersIn(list);
  return { x, y };
};

/** A label's text goes away from its place: what is left of 0° and 90° is right of the others. */
function justifyFor(node: List, angle: number): Splice[] {
  const side = angle === 180 || angle === 270 ? "right" : "left";
  return (child(child(node, "effects"), "justify")?.items ?? []).flatMap((item) =>
    item.kind === "word" && (item.value === "left" || item.value === "right") && item.value !== side
      ? [{ start: item.start, end: item.end, text: side }]
      : [],
  );
}

/** The angle and mirror that give what is seen after the turn. */
function turnSymbol(schematic: Schematic, symbol: Extract<Item, { kind: "symbol" }>, turn: Turn): Splice[] {
  const origin = { x: 0, y: 0 };
  const seen = (angle: number, mirror: Mirror | undefined) => {
    const { a, b, c, d } = symbolTransform(origin, angle, mirror);
    return [a, b, c, d].map((value) => value + 0).join();
  };
  const { a, b, c, d } = symbolTransform(origin, symbol.angle, symbol.mirror);
  const one = turnPoint({ x: a, y: c }, origin, turn);
  const other = turnPoint({ x: b, y: d }, origin, turn);
  const wanted = [one.x, other.x, one.y, other.y].map((value) => value + 0).join();
  const mirrors: (Mirror | undefined)[] = [undefined, symbol.mirror, "x", "y"];
  for (const mirror of mirrors) {
    const angle = [0, 90, 180, 270].find((degrees) => seen(degrees, mirror) === wanted);
    if (angle !== undefined) {
      return [...setNumber(child(symbol.node, "at"), 3, angle), ...setMirror(schematic, symbol.node, mirror)];
    }
  }
  return [];
}

const MAX_GAP = 40;

function setMirror({ text }: Schematic, node: List, mirror: Mirror | undefined): Splice[] {
  const list = child(node, "mirror");
  if (textOf(node, "mirror") === mirror) return [];
  if (list !== undefined && mirror === undefined) return [removeList(text, list)];
  if (list !== undefined) return [{ start: list.start, end: list.end, text: `(mirror ${mirror})` }];
  const at = child(node, "at");
  if (at === undefined) return [];
  // In a line of its own where `at` is in one.
  const before = text.slice(Math.max(0, at.start - MAX_GAP), at.start);
  const gap = before.slice(before.trimEnd().length);
  return [{ start: at.end, end: at.end, text: `${gap}(mirror ${mirror})` }];
}

function turnEntry(node: List, center: Point, turn: Turn): Splice[] {
  const size = turnPoint(pointOf(child(node, "size") ?? node), { x: 0, y: 0 }, turn);
  const at = child(node, "at");
  return [
    ...(at === undefined ? [] : setPoint(at, turnPoint(pointOf(at), center, turn))),
    ...setPoint(child(node, "size"), size),
  ];
}

/** A sheet's place is its upper left corner, so it changes corners. */
function turnSheet(node: List, center: Point, turn: Turn): Splice[] {
  const [at, size] = [child(node, "at"), child(node, "size")];
  if (at === undefined || size === undefined) return [];
  const [corner, extent] = [pointOf(at), pointOf(size)];
  const one = turnPoint(corner, center, turn);
  const other = turnPoint({ x: corner.x + extent.x, y: corner.y + extent.y }, center, turn);
  const splices = [
    ...setPoint(at, { x: Math.min(one.x, other.x), y: Math.min(one.y, other.y) }),
    ...setPoint(size, { x: round(Math.abs(one.x - other.x)), y: round(Math.abs(one.y - other.y)) }),
  ];
  for (const pin of children(node, "pin")) {
    const place = child(pin, "at");
    if (place === undefined) continue;
    const angle = turnAngle(numbersIn(place)[2] ?? 0, turn);
    splices.push(...setPoint(place, turnPoint(pointOf(place), center, turn)), ...setNumber(place, 3, angle));
    splices.push(...justifyFor(pin, normalAngle(angle + 180)));
  }
  for (const field of children(node, "property")) {
    const place = child(field, "at");
    if (place !== undefined) splices.push(...setPoint(place, turnPoint(pointOf(place), center, turn)));
  }
  return splices;
}
