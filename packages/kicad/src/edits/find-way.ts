import { isOnLine, type Point, round } from "../schematic/index.ts";

/** A way is looked for on lines of KiCad's grid, this far from both ends. */
const STEP_MM = 1.27;
const MAX_STEPS = 20;

export type Path = readonly Point[];

export interface Surroundings {
  /** Where something connects: a wire that touches such a place is connected to it. */
  readonly points: readonly Point[];
  /** KiCad makes one of two lines that lie on each other, and may put a junction where one ends on another. */
  readonly lines: readonly { readonly start: Point; readonly end: Point }[];
}

const sameValue = (one: number, other: number): boolean => round(one) === round(other);

/** The way at right angles with the fewest corners that touches nothing, or undefined when there is none. */
export function findWay(from: Point, to: Point, around: Surroundings): Path | undefined {
  const [xs, ys] = [axis(from.x, to.x), axis(from.y, to.y)];
  const blocked = { across: blocksAlong("x", "y", from, to, around), upright: blocksAlong("y", "x", from, to, around) };
  const isFree = (at: Point) => !around.lines.some((line) => isOnLine(at, line.start, line.end));
  const plain = [
    { x: to.x, y: from.y },
    { x: from.x, y: to.y },
  ].find((corner, at) => {
    const [first, second] = at === 0 ? [blocked.across, blocked.upright] : [blocked.upright, blocked.across];
    return isFree(corner) && !first(from, corner) && !second(corner, to);
  });
  if (plain !== undefined) return [from, plain, to];
  const place = (node: number): Point => ({ x: xs[node % xs.length] ?? 0, y: ys[Math.trunc(node / xs.length)] ?? 0 });
  const nodeAt = ({ x, y }: Point) => ys.indexOf(round(y)) * xs.length + xs.indexOf(round(x));
  const [start, goal] = [nodeAt(from), nodeAt(to)];
  const cameFrom = new Map([[start, start]]);
  const corners = [start];
  for (const corner of corners) {
    const column = corner % xs.length;
    const row = Math.trunc(corner / xs.length);
    for (const [step, count, isBlocked] of [
      [1, xs.length - 1 - column, blocked.across],
      [-1, column, blocked.across],
      [xs.length, ys.length - 1 - row, blocked.upright],
      [-xs.length, row, blocked.upright],
    ] as const) {
      for (let walked = 1; walked <= count; walked++) {
        const node = corner + walked * step;
        if (node === start || isBlocked(place(node - step), place(node))) break;
        if (cameFrom.has(node)) continue;
        cameFrom.set(node, corner);
        if (node === goal) return pathTo(goal, start, cameFrom).map(place);
        if (isFree(place(node))) corners.push(node);
      }
    }
  }
  return undefined;
}

/** The lines of the grid around both ends, on the sheet where the ends are. */
function axis(one: number, other: number): number[] {
  const values = new Set<number>();
  for (let step = -MAX_STEPS; step <= MAX_STEPS; step++) {
    for (const end of [one, other]) values.add(round(end + step * STEP_MM));
  }
  const lowest = Math.min(0, one, other);
  return [...values].filter((value) => value >= lowest).sort((a, b) => a - b);
}

/** Tells whether something is in the way between two neighbours on one line of the grid. */
function blocksAlong(
  along: "x" | "y",
  other: "x" | "y",
  from: Point,
  to: Point,
  { points, lines }: Surroundings,
): (one: Point, next: Point) => boolean {
  const taken = new Map<number, number[]>();
  const isEnd = (point: Point) => [from, to].some((end) => sameValue(end.x, point.x) && sameValue(end.y, point.y));
  for (const point of points) {
    if (isEnd(point)) continue;
    addTo(taken, round(point[other]), round(point[along]));
  }
  const spans = new Map<number, (readonly [number, number])[]>();
  for (const { start, end } of lines) {
    if (!sameValue(start[other], end[other])) continue;
    addTo(spans, round(start[other]), [Math.min(start[along], end[along]), Math.max(start[along], end[along])]);
  }
  return (one, next) => {
    const key = round(one[other]);
    const [low, high] = [Math.min(one[along], next[along]), Math.max(one[along], next[along])];
    return (
      (taken.get(key)?.some((value) => value >= low && value <= high) ?? false) ||
      (spans.get(key)?.some(([begin, end]) => begin < high && end > low) ?? false)
    );
  };
}

function addTo<Value>(lists: Map<number, Value[]>, key: number, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function pathTo(goal: number, start: number, cameFrom: ReadonlyMap<number, number>): number[] {
  const path = [goal];
  for (let node = goal; node !== start; ) {
    node = cameFrom.get(node) ?? start;
    path.unshift(node);
  }
  return path;
}
