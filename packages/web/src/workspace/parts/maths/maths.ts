/** Solves a small system of linear equations; undefined: it has no single answer. Rows end with the right side. */
export function solve(equations: readonly (readonly number[])[]): number[] | undefined {
  const rows = equations.map((row) => [...row]);
  const n = rows.length;
  for (let column = 0; column < n; column += 1) {
    let best = column;
    for (let row = column + 1; row < n; row += 1)
      if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = row;
    const pivot = rows[best];
    if (!pivot || Math.abs(pivot[column] ?? 0) < 1e-12) return undefined;
    [rows[column], rows[best]] = [pivot, rows[column] as number[]];
    for (const [place, row] of rows.entries()) {
      if (place === column) continue;
      const by = (row[column] ?? 0) / (pivot[column] ?? 1);
      for (let i = column; i <= n; i += 1) row[i] = (row[i] ?? 0) - by * (pivot[i] ?? 0);
    }
  }
  return rows.map((row, place) => (row[n] ?? 0) / (row[place] ?? 1));
}

/** The line of least squares through points: its slope, and where it is at x = 0. */
export function lineThrough(points: Iterable<readonly [x: number, y: number]>): { slope: number; at0: number } {
  let [n, sx, sy, sxx, sxy] = [0, 0, 0, 0, 0];
  for (const [x, y] of points) {
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return { slope, at0: (sy - slope * sx) / n };
}

export const medianOf = (values: Iterable<number>): number => {
  const sorted = [...values].filter(Number.isFinite).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/** An item of a list that a device sent; NaN: there is none. */
export const itemOf = (list: unknown, place: number): number => {
  const item = Array.isArray(list) ? list[place] : undefined;
  return typeof item === "number" && Number.isFinite(item) ? item : Number.NaN;
};

/** The numbers of a list that a device sent; NaN where it has none. */
export const numbersIn = (list: unknown): number[] => (Array.isArray(list) ? list.map((_, i) => itemOf(list, i)) : []);
