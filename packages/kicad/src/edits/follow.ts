import { type Item, type Line, type Point, placeKey, round, type Schematic, samePlace } from "../schematic/index.ts";
import { child, children, type NewNode, type Splice } from "../sexpr/index.ts";
import { type ConnectionPoint, connectionPoints, isInside, isLine, type World } from "./connection-points.ts";
import { newJunction, newLine, type Writer } from "./new-items.ts";
import { setPoint } from "./text.ts";

/** How far a wire goes aside to get around what is in its way. */
const DETOURS_MM = [2.54, -2.54, 5.08, -5.08, 7.62, -7.62, 12.7, -12.7];

type Path = readonly Point[];

interface Move {
  readonly schematic: Schematic;
  readonly writer: Writer;
  readonly selected: ReadonlySet<Item>;
  readonly delta: Point;
}

/** Makes wires follow items that move, so that everything stays connected that was. */
export function followWires(move: Move): { splices: Splice[]; nodes: NewNode[] } {
  const { schematic, selected } = move;
  const rest = schematic.items.filter((item) => !selected.has(item));
  const restPoints = rest.flatMap(connectionPoints);
  const obstacles = [...restPoints];
  for (const item of selected) {
    for (const point of connectionPoints(item)) obstacles.push({ ...point, at: moved(point.at, move.delta) });
  }
  const splices: Splice[] = [];
  const nodes: NewNode[] = [];
  const draw = (world: World, path: Path) => {
    for (const [at, point] of path.entries()) {
      const next = path[at + 1];
      if (next === undefined || samePlace(point, next)) continue;
      nodes.push(newLine(move.writer, world, point, next));
      for (const end of [point, next]) obstacles.push({ item: { ...anyJunction(schematic), at: end }, at: end, world });
    }
  };
  const slid = new Set<Item>();
  const anchored = { wire: anchorsAt(selected, "wire"), bus: anchorsAt(selected, "bus") };
  for (const anchor of anchorsOf(selected, restPoints)) {
    const { at, world } = anchor;
    const target = moved(at, move.delta);
    const here = restPoints.filter((point) => point.world === world && samePlace(point.at, at));
    const lines = rest.filter(isLine).filter((line) => line.kind === world);
    const passing = anchor.inMiddle ? lines.filter((line) => isInside(at, line)) : [];
    const held = here.some((point) => !isLine(point.item)) || passing.length > 0;
    const loose = here.flatMap(({ item }) => (isLine(item) ? [item] : []));
    if (here.length === 0 && passing.length === 0) continue;
    const paths =
      !held && loose.every((line) => canSlide(line, at, slid, restPoints, anchored[world]))
        ? loose.map((line) => slidePath(line, at, target, obstacles))
        : [undefined];
    if (paths.every((path) => path !== undefined)) {
      for (const [index, line] of loose.entries()) {
        const [first = target, ...more] = paths[index] ?? [];
        slid.add(line);
        splices.push(...setEnd(line, at, first));
        draw(world, [first, ...more]);
      }
      continue;
    }
    draw(world, clearPath(at, target, world, obstacles));
    const joined = here.some(({ item }) => item.kind === "junction");
    if (passing.length > 0 && !joined) nodes.push(newJunction(move.writer, at));
    if (anchor.onMoved) nodes.push(newJunction(move.writer, target));
  }
  return { splices, nodes };
}

export const moved = (point: Point, delta: Point): Point => ({
  x: round(point.x + delta.x),
  y: round(point.y + delta.y),
});

/** Obstacles need an item; a junction is the plainest one. */
const anyJunction = ({ root }: Schematic) => ({ kind: "junction", node: root, uuid: "", diameterMm: 0 }) as const;

interface Anchor {
  readonly at: Point;
  readonly world: World;
  /** A junction or label moves: it also held lines that pass through its place. */
  readonly inMiddle: boolean;
  /** Something that stays is connected to the middle of a line that moves. */
  readonly onMoved: boolean;
}

function anchorsOf(selected: ReadonlySet<Item>, restPoints: readonly ConnectionPoint[]): Anchor[] {
  const anchors = new Map<string, Anchor>();
  const add = ({ at, world, item }: ConnectionPoint, onMoved: boolean) => {
    const key = `${world} ${placeKey(at)}`;
    const before = anchors.get(key);
    const inMiddle = before?.inMiddle || item.kind === "junction" || item.kind === "label" || item.kind === "bus_entry";
    anchors.set(key, { at, world, inMiddle, onMoved: onMoved || before?.onMoved === true });
  };
  for (const item of selected) for (const point of connectionPoints(item)) add(point, false);
  const lines = [...selected].filter(isLine);
  for (const point of restPoints) {
    if (point.item.kind !== "junction" && point.item.kind !== "label") continue;
    if (lines.some((line) => line.kind === point.world && isInside(point.at, line))) add(point, true);
  }
  return [...anchors.values()];
}

const anchorsAt = (selected: ReadonlySet<Item>, world: World): Point[] =>
  [...selected].flatMap(connectionPoints).flatMap((point) => (point.world === world ? [point.at] : []));

/** A wire slides when nothing is connected along it and its other end stays. */
function canSlide(
  line: Line,
  at: Point,
  slid: ReadonlySet<Item>,
  points: readonly ConnectionPoint[],
  anchors: readonly Point[],
): boolean {
  const other = samePlace(line.start, at) ? line.end : line.start;
  if (
    samePlace(other, at) ||
    slid.has(line as Item) ||
    anchors.some((anchor) => samePlace(anchor, other) || isInside(anchor, line))
  )
    return false;
  return !points.some((point) => point.world === line.kind && isInside(point.at, line));
}

function setEnd(line: Line, at: Point, point: Point): Splice[] {
  const places = children(child(line.node, "pts"), "xy");
  return setPoint(samePlace(line.start, at) ? places[0] : places.at(-1), point);
}

/** The new end of a sliding wire, then the corners to `target`; undefined when something is in every way. */
function slidePath(line: Line, at: Point, target: Point, obstacles: readonly ConnectionPoint[]): Path | undefined {
  const fixed = samePlace(line.start, at) ? line.end : line.start;
  const own = obstacles.filter((point) => point.item !== line);
  const candidates: Path[] = [];
  if (round(fixed.y) === round(at.y)) candidates.push([{ x: target.x, y: fixed.y }, target]);
  if (round(fixed.x) === round(at.x)) candidates.push([{ x: fixed.x, y: target.y }, target]);
  const usable = candidates.filter(([corner]) => corner !== undefined && !samePlace(corner, fixed));
  return [...usable, [target]].find((path) => isClear([fixed, ...path], line.kind, own));
}

/** A path at right angles that touches nothing on its way, if there is one. */
function clearPath(from: Point, to: Point, world: World, obstacles: readonly ConnectionPoint[]): Path {
  const corners: Path[] = [
    [from, { x: to.x, y: from.y }, to],
    [from, { x: from.x, y: to.y }, to],
    ...DETOURS_MM.flatMap((aside): Path[] => [
      [from, { x: round(from.x + aside), y: from.y }, { x: round(from.x + aside), y: to.y }, to],
      [from, { x: from.x, y: round(from.y + aside) }, { x: to.x, y: round(from.y + aside) }, to],
    ]),
    ...DETOURS_MM.map((aside): Path => {
      const [x, y] = [round(from.x + aside), round(from.y + aside)];
      return [from, { x, y: from.y }, { x, y }, { x: to.x, y }, to];
    }),
  ];
  return corners.find((path) => isClear(path, world, obstacles)) ?? [from, to];
}

function isClear(path: Path, world: World, obstacles: readonly ConnectionPoint[]): boolean {
  const [first, last] = [path[0], path.at(-1)];
  if (first === undefined || last === undefined) return false;
  const inTheWay = (point: Point): boolean => {
    if (samePlace(point, first) || samePlace(point, last)) return false;
    return path.some((start, at) => {
      const end = path[at + 1];
      return end !== undefined && (samePlace(point, end) || samePlace(point, start) || isInside(point, { start, end }));
    });
  };
  const backOver = path.some((start, at) => {
    const end = path[at + 1];
    if (end === undefined) return false;
    return (at > 0 && isInside(first, { start, end })) || (at < path.length - 2 && isInside(last, { start, end }));
  });
  return !backOver && !obstacles.some((point) => point.world === world && inTheWay(point.at));
}
