import type { Rect } from "./geometry.ts";

export type Side = "left" | "right" | "up" | "down";

const overlapOf = (from: number, length: number, other: number, otherLength: number): number =>
  Math.min(from + length, other + otherLength) - Math.max(from, other);

/** The panel that lies at this side: of those, the one that shares the longest edge. */
export function neighbourOf(leaves: ReadonlyMap<string, Rect>, leafId: string, side: Side): string | undefined {
  const own = leaves.get(leafId);
  if (!own) return undefined;
  const isSideways = side === "left" || side === "right";
  const shared = (rect: Rect): number =>
    isSideways ? overlapOf(own.y, own.height, rect.y, rect.height) : overlapOf(own.x, own.width, rect.x, rect.width);
  const distance = (rect: Rect): number => {
    if (side === "left") return own.x - (rect.x + rect.width);
    if (side === "right") return rect.x - (own.x + own.width);
    return side === "up" ? own.y - (rect.y + rect.height) : rect.y - (own.y + own.height);
  };
  const [nearest] = [...leaves]
    .filter(([id, rect]) => id !== leafId && distance(rect) >= 0 && shared(rect) > 0)
    .sort(([, a], [, b]) => distance(a) - distance(b) || shared(b) - shared(a));
  return nearest?.[0];
}

/** How a new panel at this side is asked for. */
export const splitAt = (side: Side) =>
  ({
    direction: side === "left" || side === "right" ? "horizontal" : "vertical",
    position: side === "left" || side === "up" ? "before" : "after",
  }) as const;
