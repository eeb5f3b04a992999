import {
  type Item,
  isOnLine,
  type Line,
  type Point,
  placeKey,
  round,
  type Schematic,
  samePlace,
} from "../schematic/index.ts";
import { child, children, type NewNode, type Splice } from "../sexpr/index.ts";
import { type ConnectionPoint, connectionPoints, isInside, isLine, type World } from "./connection-points.ts";
import { findWay, type Path, type Surroundings } from "./find-way.ts";
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
        ? loose.map((line) => slidePath(line, at, target, { obstacles, drawn }))
        : [undefined];
    if (paths.every((path) => path !== undefined)) {
      for (const [index, line] of loose.entries()) {
        const [first = target, ...more] = paths[index] ?? [];
        slid.add(line);
        splices.push(...setEnd(line, at, first));
        const fixed = samePlace(line.start, at) ? line.end : line.start;
        drawn.splice(drawn.indexOf(line), 1, { kind: world, start: fixed, end: first });
        draw(world, [first, ...more]);
      }
      continue;
    }
    const { way, joints } = wayTo(target, anchor, { obstacles, drawn });
    draw(world, way);
    const joined = here.some(({ item }) => item.kind === "junction");
    if (passing.length > 0 && !joined) nodes.push(newJunction(move.writer, at));
    if (anchor.onMoved) nodes.push(newJunction(move.writer, target));
    for (const corner of joints) nodes.push(newJunction(move.writer, corner));
  }
  return { splices, nodes };
}

type Drawn = Pick<Line, "kind" | "start" | "end">;
type Segment = Pick<Line, "start" | "end">;

interface Around {
  readonly obstacles: readonly ConnectionPoint[];
  readonly drawn: readonly Drawn[];
}

/**
 * A way that touches nothing. Where there is none, it may leave along a line that is connected at its ends, with a junction
 * where it turns away: KiCad makes one of lines that lie on each other. Rather no move than one that connects what was not.
 */
function wayTo(target: Point, { at, world }: Anchor, { obstacles, drawn }: Around): { way: Path; joints: Path } {
  const points = obstacles.flatMap((point) => (point.world === world ? [point.at] : []));
  const lines = drawn.filter(({ kind }) => kind === world);
  const isOwn = ({ start, end }: Drawn) =>
    [start, end].some((place) => samePlace(place, at) || samePlace(place, target));
  const free = findWay(at, target, { points, lines });
  if (free !== undefined) return { way: free, joints: [] };
  const own = lines.filter(isOwn);
  const along = findWay(at, target, { points, lines: lines.filter((line) => !isOwn(line)) });
  if (along === undefined) {
    const place = `${target.x}, ${target.y}`;
    throw new EditFault(`There is no free way for a wire to ${place}. Move it elsewhere, or without wires.`);
  }
  return { way: along, joints: along.slice(1, -1).filter((corner) => own.some((line) => isInside(corner, line))) };
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
function slidePath(line: Line, at: Point, target: Point, { obstacles, drawn }: Around): Path | undefined {
  const fixed = samePlace(line.start, at) ? line.end : line.start;
  const around = {
    points: obstacles.flatMap(({ item, at: place, world }) => (item !== line && world === line.kind ? [place] : [])),
    lines: drawn.filter((other) => other !== line && other.kind === line.kind),
  };
  const candidates: Path[] = [];
  if (round(fixed.y) === round(at.y)) candidates.push([{ x: target.x, y: fixed.y }, target]);
  if (round(fixed.x) === round(at.x)) candidates.push([{ x: fixed.x, y: target.y }, target]);
  const usable = candidates.filter(([corner]) => corner !== undefined && !samePlace(corner, fixed));
  return [...usable, [target]].find((path) => isClear([fixed, ...path], around));
}

function isClear(path: Path, { points, lines }: Surroundings): boolean {
  const [first, last] = [path[0], path.at(-1)];
  if (first === undefined || last === undefined) return false;
  const segments = path.slice(1).map((end, at) => ({ start: path[at] ?? end, end }));
  const isEnd = (point: Point) => samePlace(point, first) || samePlace(point, last);
  const touches = (point: Point) => segments.some(({ start, end }) => isOnLine(point, start, end));
  const backOver = segments.some(
    (segment, at) => (at > 0 && isInside(first, segment)) || (at < segments.length - 1 && isInside(last, segment)),
  );
  if (backOver || points.some((point) => !isEnd(point) && touches(point))) return false;
  const corners = path.slice(1, -1);
  return !lines.some(
    (line) =>
      corners.some((corner) => isOnLine(corner, line.start, line.end)) ||
      segments.some((segment) => liesOn(segment, line)),
  );
}

/** Whether two lines have more than one place in common. */
function liesOn(one: Segment, other: Segment): boolean {
  const shared = [
    ...[one.start, one.end].filter((place) => isOnLine(place, other.start, other.end)),
    ...[other.start, other.end].filter((place) => isOnLine(place, one.start, one.end)),
  ];
  return shared.some((place) => !samePlace(place, shared[0] ?? place));
}
