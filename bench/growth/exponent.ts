/** What something costs with so many of what grows. */
export type Point = { size: number; cost: number };

/**
 * How a cost grows: the slope of the straight line through the points when both axes are logarithmic (least squares). 0: it
 * does not grow, 1: twice as much costs twice as much, 2: twice as much costs four times as much.
 */
export function exponentOf(points: readonly Point[]): number {
  const xs = points.map(({ size }) => Math.log(size));
  const ys = points.map(({ cost }) => Math.log(cost));
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const shared = xs.reduce((sum, x, at) => sum + (x - meanX) * ((ys[at] ?? 0) - meanY), 0);
  return shared / xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
}

/** Between the two largest sizes, where a part that grows faster shows first. */
export const exponentAtTheEnd = (points: readonly Point[]): number => exponentOf(points.slice(-2));

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
