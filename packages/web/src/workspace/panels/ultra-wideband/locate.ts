// Where a tag is, by its distances to anchors: least squares in the plane, at a height that is known.

export type Anchor = { id: string; x: number; y: number; z: number };
/** NaN: not known. */
export type Measured = { anchor: string; m: number; dbm: number };

export type AnchorResult = Measured & {
  /** How much longer the range is than the position that was found explains. NaN: the anchor is not known. */
  residual: number;
  isUsed: boolean;
};

export type Fix = {
  x: number;
  y: number;
  /** Root mean square of the residuals of the anchors that were used. */
  rms: number;
  /** Half axes of the ellipse that holds 95 %, and how its long one is turned. */
  ellipse: { long: number; short: number; angleRad: number };
  anchors: AnchorResult[];
  /** Not computed here: without ranges, it is what the gateway says. */
  isSaid?: true;
};

const ITERATIONS = 20;
const MIN_ANCHORS = 3;
/** No ranges are better than this, however well they fit. */
const SENSOR_M = 0.02;
/** A range that is longer than the others explain by this has not come straight. */
const BLOCKED_M = 0.15;
/** 95 % of a normal distribution in two dimensions: the root of 5.991. */
const TO_95 = 2.4477;

type Ranged = { anchor: Anchor; m: number };
type Place = { x: number; y: number; rms: number; normal: readonly [xx: number, xy: number, yy: number] };

/** Gauss and Newton; undefined: the anchors are in a line, or too few. */
function solvePlace(ranged: readonly Ranged[], z: number): Place | undefined {
  if (ranged.length < MIN_ANCHORS) return undefined;
  const mean = (of: (anchor: Anchor) => number) =>
    ranged.reduce((sum, { anchor }) => sum + of(anchor), 0) / ranged.length;
  let [x, y] = [mean((anchor) => anchor.x), mean((anchor) => anchor.y)];
  let normal: [number, number, number] = [0, 0, 0];
  let squares = 0;
  for (let round = 0; round < ITERATIONS; round += 1) {
    let [xx, xy, yy, bx, by] = [0, 0, 0, 0, 0];
    squares = 0;
    for (const { anchor, m } of ranged) {
      const [dx, dy] = [x - anchor.x, y - anchor.y];
      const range = Math.max(1e-6, Math.hypot(dx, dy, z - anchor.z));
      const off = m - range;
      const [ux, uy] = [dx / range, dy / range];
      xx += ux * ux;
      xy += ux * uy;
      yy += uy * uy;
      bx += ux * off;
      by += uy * off;
      squares += off * off;
    }
    const det = xx * yy - xy * xy;
    if (Math.abs(det) < 1e-9) return undefined;
    normal = [xx, xy, yy];
    const [sx, sy] = [(yy * bx - xy * by) / det, (xx * by - xy * bx) / det];
    x += sx;
    y += sy;
    if (Math.hypot(sx, sy) < 1e-7) break;
  }
  return Number.isFinite(x + y) ? { x, y, rms: Math.sqrt(squares / ranged.length), normal } : undefined;
}

const residualAt = ({ x, y }: { x: number; y: number }, z: number, { anchor, m }: Ranged): number =>
  m - Math.hypot(x - anchor.x, y - anchor.y, z - anchor.z);

/** Ranges that agree have residuals of less than this. */
const AGREES_M = 0.06;
const MAX_BLOCKED = 3;
/** Of many anchors, only these are suspected. */
const MAX_SUSPECTS = 8;

type Solved = { place: Place | undefined; used: readonly Ranged[] };

/** Leaves out as few ranges as possible so that the others agree, and what is left out is too long. */
function solveAgreeing(known: readonly Ranged[], z: number): Solved {
  const all = solvePlace(known, z);
  if (!all || all.rms <= AGREES_M) return { place: all, used: known };
  const off = (ranged: Ranged) => Math.abs(residualAt(all, z, ranged));
  const suspects = known.toSorted((a, b) => off(b) - off(a)).slice(0, MAX_SUSPECTS);
  for (let count = 1; count <= Math.min(MAX_BLOCKED, known.length - MIN_ANCHORS); count += 1) {
    let best: { place: Place; used: readonly Ranged[] } | undefined;
    for (const left of choose(suspects, count)) {
      const used = known.filter((each) => !left.includes(each));
      const place = solvePlace(used, z);
      if (!place || place.rms > (best?.place.rms ?? AGREES_M)) continue;
      if (left.every((each) => residualAt(place, z, each) > BLOCKED_M)) best = { place, used };
    }
    if (best) return best;
  }
  return { place: all, used: known };
}

/** All ways to take so many of them. */
function* choose<Each>(all: readonly Each[], count: number): Generator<Each[]> {
  if (count === 0) {
    yield [];
    return;
  }
  for (const [i, first] of all.entries())
    for (const rest of choose(all.slice(i + 1), count - 1)) yield [first, ...rest];
}

/** The position by all ranges that agree. One that is much too long is left out: something is in the way. */
export function locate(anchors: readonly Anchor[], measured: readonly Measured[], z: number): Fix | undefined {
  const known = measured.flatMap((each): Ranged[] => {
    const anchor = anchors.find(({ id }) => id === each.anchor);
    return anchor && each.m > 0 ? [{ anchor, m: each.m }] : [];
  });
  const { place, used } = solveAgreeing(known, z);
  if (!place) return undefined;
  const found = place;
  return {
    ...{ x: found.x, y: found.y, rms: found.rms },
    ellipse: ellipseOf(
      found.normal,
      Math.max(SENSOR_M, found.rms * Math.sqrt(used.length / Math.max(1, used.length - 2))),
    ),
    anchors: measured.map((each) => {
      const ranged = known.find(({ anchor }) => anchor.id === each.anchor);
      return {
        ...each,
        residual: ranged ? residualAt(found, z, ranged) : Number.NaN,
        isUsed: used.some(({ anchor }) => anchor.id === each.anchor),
      };
    }),
  };
}

/** Of a normal matrix and the deviation of one range. */
function ellipseOf([xx, xy, yy]: Place["normal"], deviation: number): Fix["ellipse"] {
  const middle = (xx + yy) / 2;
  const spread = Math.hypot((xx - yy) / 2, xy);
  const axis = (eigen: number) => (TO_95 * deviation) / Math.sqrt(Math.max(1e-9, eigen));
  // The direction in which the anchors say the least is the longest.
  return {
    ...{ long: axis(middle - spread), short: axis(middle + spread) },
    angleRad: Math.atan2(2 * xy, xx - yy) / 2 + Math.PI / 2,
  };
}

/** How far off a position here would be, 95 %: what the places of the anchors alone decide. NaN: no position. */
export function errorAt(anchors: readonly Anchor[], x: number, y: number, z: number, deviation: number): number {
  let [xx, xy, yy] = [0, 0, 0];
  for (const anchor of anchors) {
    const [dx, dy] = [x - anchor.x, y - anchor.y];
    const range = Math.max(1e-6, Math.hypot(dx, dy, z - anchor.z));
    xx += (dx / range) ** 2;
    xy += (dx * dy) / range ** 2;
    yy += (dy / range) ** 2;
  }
  const det = xx * yy - xy * xy;
  return anchors.length < MIN_ANCHORS || det < 1e-9 ? Number.NaN : TO_95 * deviation * Math.sqrt((xx + yy) / det);
}
