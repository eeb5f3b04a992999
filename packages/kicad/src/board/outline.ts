import { boxOfPoints } from "../drawing/boxes.ts";
import type { Box } from "../drawing/primitives.ts";
import type { Point } from "../schematic/geometry.ts";
import { distance } from "./lines.ts";
import type { Outline } from "./model.ts";

/** Ends that are this close to each other meet. */
const JOIN_MM = 0.02;
/** Lines of an outline, at most. More are not followed: the board is shown as its box then. */
export const MAX_EDGES = 10_000;
const MAX_LOOPS = 1_000;

type Line = readonly Point[];

const isClosed = (line: Line): boolean => {
  const [first, last] = [line[0], line.at(-1)];
  return line.length > 2 && first !== undefined && last !== undefined && distance(first, last) <= JOIN_MM;
};

const cellOf = ({ x, y }: Point): [number, number] => [Math.floor(x / JOIN_MM), Math.floor(y / JOIN_MM)];

/** The ends of lines that are not used yet, found by their place. */
class Ends {
  readonly #cells = new Map<string, { line: number; at: Point; isLast: boolean }[]>();
  readonly #used = new Set<number>();

  constructor(lines: readonly Line[]) {
    for (const [line, points] of lines.entries()) {
      for (const isLast of [false, true]) {
        const at = points.at(isLast ? -1 : 0);
        if (at === undefined) continue;
        const key = cellOf(at).join();
        const cell = this.#cells.get(key);
        if (cell) cell.push({ line, at, isLast });
        else this.#cells.set(key, [{ line, at, isLast }]);
      }
    }
  }

  use(line: number): boolean {
    if (this.#used.has(line)) return false;
    this.#used.add(line);
    return true;
  }

  takeNear(at: Point): { line: number; isLast: boolean } | undefined {
    const [x, y] = cellOf(at);
    for (const dx of [0, -1, 1]) {
      for (const dy of [0, -1, 1]) {
        const near = this.#cells
          .get(`${x + dx},${y + dy}`)
          ?.find((end) => !this.#used.has(end.line) && distance(end.at, at) <= JOIN_MM);
        if (near && this.use(near.line)) return near;
      }
    }
    return undefined;
  }
}

/** Joins lines that meet at their ends. */
export function chainLines(lines: readonly Line[]): { loops: Point[][]; open: number } {
  const loops = lines.filter(isClosed).map((line) => line.slice(0, -1));
  const rest = lines.filter((line) => !isClosed(line) && line.length > 1);
  const ends = new Ends(rest);
  let open = 0;
  for (const [place, line] of rest.entries()) {
    if (!ends.use(place)) continue;
    const loop = [...line];
    while (!isClosed(loop)) {
      const last = loop.at(-1);
      const next = last && ends.takeNear(last);
      if (!next) break;
      const points = rest[next.line] ?? [];
      loop.push(...(next.isLast ? points.toReversed() : points).slice(1));
    }
    if (isClosed(loop)) loops.push(loop.slice(0, -1));
    else open++;
  }
  return { loops, open };
}

function areaOf(loop: Line): number {
  let twice = 0;
  for (let at = 0, before = loop.length - 1; at < loop.length; before = at++) {
    const [a, b] = [loop[before], loop[at]];
    if (a && b) twice += a.x * b.y - b.x * a.y;
  }
  return Math.abs(twice) / 2;
}

export function isInside({ x, y }: Point, loop: Line): boolean {
  let inside = false;
  for (let at = 0, before = loop.length - 1; at < loop.length; before = at++) {
    const [a, b] = [loop[before], loop[at]];
    if (a && b && a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) inside = !inside;
  }
  return inside;
}

const isInBox = ({ x, y }: Point, { left, top, right, bottom }: Box): boolean =>
  x >= left && x <= right && y >= top && y <= bottom;

/** What is inside of a loop is a hole; what is inside of that, a board again. */
function nest(loops: readonly Point[][]): Outline["solids"] {
  const sorted = loops
    .map((points) => ({ points, area: areaOf(points), box: boxOfPoints(points), depth: 0, holes: [] as Point[][] }))
    .filter(({ area }) => area > 1e-6)
    .sort((a, b) => b.area - a.area);
  for (const [place, loop] of sorted.entries()) {
    const [first] = loop.points;
    const around = sorted
      .slice(0, place)
      .filter(({ points, box }) => first && isInBox(first, box) && isInside(first, points));
    loop.depth = around.length;
    if (loop.depth % 2 === 1) around.at(-1)?.holes.push(loop.points);
  }
  return sorted.filter(({ depth }) => depth % 2 === 0).map(({ points, holes }) => ({ points, holes }));
}

const EMPTY: Box = { left: 0, top: 0, right: 10, bottom: 10 };

const asLoop = ({ left, top, right, bottom }: Box): Point[] => [
  { x: left, y: top },
  { x: right, y: top },
  { x: right, y: bottom },
  { x: left, y: bottom },
];

/** `others` are points of the board that count when there are no lines at all. */
export function readOutline(lines: readonly Line[], others: () => Point[]): { outline: Outline; notes: string[] } {
  const asBox = (note: string) => {
    const points = lines.length > 0 ? lines.flat() : others();
    const box = points.length > 1 ? boxOfPoints(points) : EMPTY;
    const isFlat = box.right - box.left < JOIN_MM || box.bottom - box.top < JOIN_MM;
    const shown = isFlat ? { ...EMPTY, right: box.left + 10, left: box.left, top: box.top, bottom: box.top + 10 } : box;
    return { outline: { solids: [{ points: asLoop(shown), holes: [] }], box: shown }, notes: [note] };
  };
  if (lines.length === 0) return asBox("The board has no outline (Edge.Cuts). A box around everything is shown.");
  if (lines.length > MAX_EDGES) return asBox(`The outline has more than ${MAX_EDGES} lines. A box around it is shown.`);
  const { loops, open } = chainLines(lines);
  if (loops.length > MAX_LOOPS) return asBox(`The outline has more than ${MAX_LOOPS} loops. A box around it is shown.`);
  const solids = nest(loops);
  if (solids.length === 0) return asBox("The outline is not closed. A box around it is shown.");
  const notes = open === 0 ? [] : [`${open} ${open === 1 ? "line" : "lines"} of the outline lead nowhere.`];
  return { outline: { solids, box: boxOfPoints(solids.flatMap(({ points }) => points)) }, notes };
}
