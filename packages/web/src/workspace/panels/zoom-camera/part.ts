/** A part of a picture: its middle, as shares of width and height, and how many times it is enlarged. */
export type Part = { x: number; y: number; zoom: number };

export const MAX_ZOOM = 12;
export const WHOLE: Part = { x: 0.5, y: 0.5, zoom: 1 };

const between = (low: number, value: number, high: number): number => Math.min(high, Math.max(low, value));

/** A part never reaches beyond the picture. */
export function within({ x, y, zoom }: Part): Part {
  const kept = between(1, zoom, MAX_ZOOM);
  const half = 0.5 / kept;
  return { x: between(half, x, 1 - half), y: between(half, y, 1 - half), zoom: kept };
}

export const moved = ({ x, y, zoom }: Part, byX: number, byY: number): Part => within({ x: x + byX, y: y + byY, zoom });

/** What is at a place of the picture stays where it is seen. */
export function zoomedAt(part: Part, factor: number, at: { x: number; y: number }): Part {
  const zoom = between(1, part.zoom * factor, MAX_ZOOM);
  const share = part.zoom / zoom;
  return within({ x: at.x + (part.x - at.x) * share, y: at.y + (part.y - at.y) * share, zoom });
}

/** Left and top, and the size, as shares of the picture. */
export const boxOf = ({ x, y, zoom }: Part): { left: number; top: number; size: number } => ({
  left: x - 0.5 / zoom,
  top: y - 0.5 / zoom,
  size: 1 / zoom,
});

/** The same part in the picture of a second camera that sees `seen` of the first; undefined: it does not see all of it. */
export function partIn(part: Part, seen: Part): Part | undefined {
  const [wanted, there] = [boxOf(part), boxOf(seen)];
  const ALMOST = 1e-6;
  const isInside = (from: number, seenFrom: number) =>
    from >= seenFrom - ALMOST && from + wanted.size <= seenFrom + there.size + ALMOST;
  if (!isInside(wanted.left, there.left) || !isInside(wanted.top, there.top)) return undefined;
  return within({
    x: (part.x - there.left) / there.size,
    y: (part.y - there.top) / there.size,
    zoom: part.zoom / seen.zoom,
  });
}

/** For CSS: the part fills the frame around the picture. */
export function transformOf(part: Part): string {
  const { left, top } = boxOf(part);
  return `scale(${part.zoom.toFixed(4)}) translate(${(-100 * left).toFixed(4)}%, ${(-100 * top).toFixed(4)}%)`;
}

/** How a key changes the part; undefined: it does not. */
export function byKey(part: Part, key: string, isLarge: boolean): Part | undefined {
  const step = (isLarge ? 0.25 : 0.05) / part.zoom;
  switch (key) {
    case "ArrowLeft":
      return moved(part, -step, 0);
    case "ArrowRight":
      return moved(part, step, 0);
    case "ArrowUp":
      return moved(part, 0, -step);
    case "ArrowDown":
      return moved(part, 0, step);
    case "+":
    case "=":
      return within({ ...part, zoom: part.zoom * 1.25 });
    case "-":
      return within({ ...part, zoom: part.zoom / 1.25 });
    case "Home":
      return WHOLE;
    default:
      return undefined;
  }
}

export const isPart = (value: unknown): value is Part =>
  typeof value === "object" &&
  value !== null &&
  ["x", "y", "zoom"].every((name) => typeof (value as Record<string, unknown>)[name] === "number");
