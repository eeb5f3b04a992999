/** A percentile of values in any order; NaN when there are none. */
export function percentiles(values: readonly number[], ...parts: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  return parts.map((part) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN);
}
