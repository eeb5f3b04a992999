export type Size = { width: number; height: number };
export type Fitted = Size & { scale: number };

/** The larger side is at most `maxDimension`; 0: as it is. Never enlarges. */
export function fitSize({ width, height }: Size, maxDimension: number): Fitted {
  const larger = Math.max(width, height);
  if (maxDimension === 0 || larger <= maxDimension) return { width, height, scale: 1 };
  const scale = maxDimension / larger;
  const shrink = (side: number) => Math.max(1, Math.round(side * scale));
  return { width: shrink(width), height: shrink(height), scale: Math.round(scale * 10_000) / 10_000 };
}
