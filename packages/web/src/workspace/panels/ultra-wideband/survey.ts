import type { Anchor } from "./locate.ts";

export type Between = { a: string; b: string; m: number };
export type Surveyed = { id: string; x: number; y: number; movedM: number };

const ROUNDS = 300;

/**
 * Where anchors are by the distances between them: SMACOF, which never gets worse, from the places that are written down. What comes
 * out is turned and moved to fit those places as well as it can, because distances alone say nothing about either.
 */
export function survey(anchors: readonly Anchor[], between: readonly Between[]): Surveyed[] | undefined {
  const ids = anchors.map(({ id }) => id);
  const pairs = between.flatMap(({ a, b, m }) => {
    const [i, j] = [ids.indexOf(a), ids.indexOf(b)];
    return i >= 0 && j >= 0 && i !== j && m > 0 ? [{ i, j, m }] : [];
  });
  const isReached = ids.every((_, i) => pairs.filter((pair) => pair.i === i || pair.j === i).length >= 2);
  if (ids.length < 3 || !isReached) return undefined;
  let places = anchors.map(({ x, y }) => [x, y] as [number, number]);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = places.map(() => [0, 0, 0] as [number, number, number]);
    for (const { i, j, m } of pairs) {
      for (const [own, other] of [
        [i, j],
        [j, i],
      ] as const) {
        const [from, to, sum] = [places[other], places[own], next[own]];
        if (!from || !to || !sum) continue;
        const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        const length = Math.hypot(dx, dy) || 1e-9;
        sum[0] += from[0] + (dx / length) * m;
        sum[1] += from[1] + (dy / length) * m;
        sum[2] += 1;
      }
    }
    places = next.map(([x, y, count]) => [x / count, y / count]);
  }
  const fitted = moveOnto(
    places,
    anchors.map(({ x, y }) => [x, y]),
  );
  return fitted.map(([x, y], place) => {
    const { id, x: ax, y: ay } = anchors[place] as Anchor;
    return { id, x, y, movedM: Math.hypot(x - ax, y - ay) };
  });
}

type Points = readonly (readonly [number, number])[];

/** Turned and moved, never mirrored or stretched. */
function moveOnto(points: Points, onto: Points): [number, number][] {
  const middle = (all: Points) =>
    [0, 1].map((axis) => all.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / all.length) as [number, number];
  const [from, to] = [middle(points), middle(onto)];
  let [cos, sin] = [0, 0];
  for (const [i, [x, y]] of points.entries()) {
    const [px, py, qx, qy] = [x - from[0], y - from[1], (onto[i]?.[0] ?? 0) - to[0], (onto[i]?.[1] ?? 0) - to[1]];
    cos += px * qx + py * qy;
    sin += px * qy - py * qx;
  }
  const angle = Math.atan2(sin, cos);
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return points.map(([x, y]) => {
    const [px, py] = [x - from[0], y - from[1]];
    return [to[0] + c * px - s * py, to[1] + s * px + c * py];
  });
}
