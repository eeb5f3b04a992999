import { type Item, type Line, type Point, placeKey, round, type Schematic, samePlace } from "../schematic/index.ts";
import { child, children, type NewNode, type Splice } from "../sexpr/index.ts";
import { type ConnectionPoint, connectionPoints, isInside, isLine, type World } from "./connection-points.ts";
import { findWay, type Path } from "./find-way.ts";
import { newJunction, newLine, type Writer } from "./new-items.ts";
import { EditFault, setPoint } from "./text.ts";

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
  // Obstacles need an item; a junction is the plainest one.
  const joint = (at: Point, world: World): ConnectionPoint => ({
    ...{ item: { kind: "junction", node: schematic.root, uuid: "", diameterMm: 0, at }, at, world },
  });
  const drawn: Drawn[] = [
    ...rest.filter(isLine),
    ...[...selected].filter(isLine).map(({ kind, start, end }) => ({
      ...{ kind, start: moved(start, move.delta), end: moved(end, move.delta) },
    })),
  ];
  const splices: Splice[] = [];
  const nodes: NewNode[] = [];
  const draw = (world: World, path: Path) => {
    for (const [at, point] of path.entries()) {
      const next = path[at + 1];
      if (next === undefined || samePlace(point, next)) continue;
      nodes.push(newLine(move.writer, world, point, next));
      drawn.push({ kind: world, start: point, end: next });
      for (const end of [point, next]) obstacles.push(joint(end, world));
    }
  };
  const slid = new Set<Item>();
  const anchored = { wire: anchorsAt(selected, "wire"), bus: anchorsAt(selected, "bus") };
  const lines = rest.filter(isLine);
  const passingAt = ({ at, world, inMiddle }: Anchor) =>
    inMiddle ? lines.filter((line) => line.kind === world && isInside(at, line)) : [];
  const anchors = anchorsOf(selected, restPoints);
  // Junctions are drawn at these places, and connect whatever passes there.
  for (const anchor of anchors) {
    if (anchor.onMoved) obstacles.push(joint(moved(anchor.at, move.delta), anchor.world));
    if (passingAt(anchor).length > 0) obstacles.push(joint(anchor.at, anchor.world));
  }
  for (const anchor of anchors) {
    const { at, world } = anchor;
    const target = moved(at, move.delta);
    const here = restPoints.filter((point) => point.world === world && samePlace(point.at, at));
    const passing = passingAt(anchor);
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
    draw(world, wayTo(target, anchor, obstacles, drawn));
    const joined = here.some(({ item }) => item.kind === "junction");
    if (passing.length > 0 && !joined) nodes.push(newJunction(move.writer, at));
    if (anchor.onMoved) nodes.push(newJunction(move.writer, target));
  }
  return { splices, nodes };
}

type Drawn = Pick<Line, "kind" | "start" | "end">;

/** Rather no move than one that connects what was not connected. */
function wayTo(
  target: Point,
  { at, world }: Anchor,
  obstacles: readonly ConnectionPoint[],
  drawn: readonly Drawn[],
): Path {
  const way = findWay(at, target, {
    points: obstacles.flatMap((point) => (point.world === world ? [point.at] : [])),
    lines: drawn.filter(({ kind }) => kind === world),
  });
  if (way !== undefined) return way;
  throw new EditFault(
    `There is no free way for a wire to ${target.x}, ${target.y}. Move it elsewhere, or without wires.`,
  );
}

export const moved = (point: Point, delta: Point): Point => ({
  x: round(point.x + delta.x),
  y: round(point.y + delta.y),
});

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
