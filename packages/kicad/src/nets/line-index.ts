import { isOnLine, type Line, type Point, round } from "../schematic/index.ts";

/** Lines that share a row or a column, by their beginnings; `reach` is how far any of the lines up to here goes. */
interface Track {
  readonly lines: { readonly from: number; readonly to: number; readonly line: Line }[];
  readonly reach: number[];
}

/** Finds the lines that pass through a point without looking at all of them. */
export class LineIndex {
  readonly #rows = new Map<number, Track>();
  readonly #columns = new Map<number, Track>();
  readonly #slanted: Track = { lines: [], reach: [] };

  constructor(lines: readonly Line[]) {
    for (const line of lines) {
      const { start, end } = line;
      if (round(start.y) === round(end.y)) add(trackAt(this.#rows, round(start.y)), start.x, end.x, line);
      else if (round(start.x) === round(end.x)) add(trackAt(this.#columns, round(start.x)), start.y, end.y, line);
      else add(this.#slanted, start.x, end.x, line);
    }
    for (const track of [...this.#rows.values(), ...this.#columns.values(), this.#slanted]) prepare(track);
  }

  /** Lines that lie on each other, in pairs: KiCad makes one of them. Those that only touch are not among them. */
  *overlapping(): Generator<readonly [Line, Line]> {
    for (const { lines } of [...this.#rows.values(), ...this.#columns.values()]) {
      let longest = lines[0];
      for (const next of lines.slice(1)) {
        if (longest !== undefined && next.from < longest.to) yield [longest.line, next.line];
        if (longest === undefined || next.to > longest.to) longest = next;
      }
    }
  }

  /** The lines that have `point` on them, their ends included. */
  through(point: Point): Line[] {
    const [x, y] = [round(point.x), round(point.y)];
    const found = [...near(this.#rows.get(y), x), ...near(this.#columns.get(x), y), ...near(this.#slanted, x)];
    return found.filter((line) => isOnLine(point, line.start, line.end));
  }
}

function trackAt(tracks: Map<number, Track>, at: number): Track {
  const track = tracks.get(at) ?? { lines: [], reach: [] };
  tracks.set(at, track);
  return track;
}

function add(track: Track, one: number, other: number, line: Line): void {
  track.lines.push({ from: round(Math.min(one, other)), to: round(Math.max(one, other)), line });
}

function prepare(track: Track): void {
  track.lines.sort((a, b) => a.from - b.from);
  let reach = Number.NEGATIVE_INFINITY;
  for (const { to } of track.lines) {
    reach = Math.max(reach, to);
    track.reach.push(reach);
  }
}

function near(track: Track | undefined, place: number): Line[] {
  if (track === undefined) return [];
  let [low, high] = [0, track.lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((track.lines[middle]?.from ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  const found: Line[] = [];
  for (let at = low - 1; at >= 0 && (track.reach[at] ?? 0) >= place; at--) {
    const entry = track.lines[at];
    if (entry !== undefined && entry.to >= place) found.push(entry.line);
  }
  return found;
}
