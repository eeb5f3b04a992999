const MARGIN = 8;

/** The path of points from 0 to 100 in a square of 100. Where nothing was measured, the line breaks. */
export function linesOf(points: readonly (number | null)[]): string {
  const step = points.length < 2 ? 0 : 100 / (points.length - 1);
  let isDown = false;
  let path = "";
  for (const [place, point] of points.entries()) {
    if (point === null) {
      isDown = false;
      continue;
    }
    const y = 100 - MARGIN - (point * (100 - 2 * MARGIN)) / 100;
    path += `${isDown ? "L" : "M"}${(place * step).toFixed(1)} ${y.toFixed(1)}`;
    isDown = true;
  }
  return path;
}
