import type { LayoutNode } from "@backplane/contract/panels";
import type { CSSProperties } from "react";
import type { Size } from "../browser-hooks.ts";

export type Rect = { x: number; y: number; width: number; height: number };

/** Between two panels, including their borders. */
export const GAP = 8;
/** A finger needs more than a mouse. A page is rarely handed from one to the other, so this is decided once. */
export const STRIP_HEIGHT = globalThis.matchMedia?.("(pointer: coarse)").matches ? 48 : 34;
/** The smallest size of a panel, as long as the window has room for it. */
const MIN_WIDTH = 120;
const MIN_HEIGHT = STRIP_HEIGHT + 46;

export type Splitter = {
  splitId: string;
  direction: "horizontal" | "vertical";
  ratio: number;
  /** One leaf of each side, to name the side by. */
  sides: readonly [leafId: string, leafId: string];
  rect: Rect;
  /** Where the two sides start, and their length together without the gap. Ratios are shares of that length. */
  start: number;
  length: number;
  /** The ratios at which one side has its smallest size. */
  min: number;
  max: number;
};

export type Arrangement = { leaves: ReadonlyMap<string, Rect>; splitters: readonly Splitter[] };

/** Captured frames have even sizes. Panels have them too, or a row of pixels would be cut off. */
const even = (value: number): number => Math.max(0, Math.round(value / 2) * 2);
const evenBelow = (value: number): number => Math.max(0, Math.floor(value / 2) * 2);

type Axis = { start: "x" | "y"; length: "width" | "height" };
const AXES: Record<"horizontal" | "vertical", Axis> = {
  horizontal: { start: "x", length: "width" },
  vertical: { start: "y", length: "height" },
};

/** The smallest length of a part of the tree along an axis. */
function leastOf(node: LayoutNode, length: Axis["length"]): number {
  if (node.type === "leaf") return length === "width" ? MIN_WIDTH : MIN_HEIGHT;
  const [first, second] = [leastOf(node.first, length), leastOf(node.second, length)];
  return AXES[node.direction].length === length ? first + GAP + second : Math.max(first, second);
}

const firstLeafId = (node: LayoutNode): string => (node.type === "leaf" ? node.id : firstLeafId(node.first));

/** The rectangle of every leaf and the handle of every split. `ratios` override those of the layout. */
export function arrange(root: LayoutNode, box: Rect, ratios: ReadonlyMap<string, number> = new Map()): Arrangement {
  const leaves = new Map<string, Rect>();
  const splitters: Splitter[] = [];

  const place = (node: LayoutNode, rect: Rect): void => {
    if (node.type === "leaf") {
      leaves.set(node.id, rect);
      return;
    }
    const { start, length } = AXES[node.direction];
    const ratio = ratios.get(node.id) ?? node.ratio;
    const gap = Math.min(GAP, rect[length]);
    const shared = rect[length] - gap;
    const [leastFirst, leastSecond] = [leastOf(node.first, length), leastOf(node.second, length)];
    const fits = leastFirst + leastSecond <= shared;
    // Without room for both, they share the space in proportion to what they need.
    const [from, to] = fits ? [leastFirst, shared - leastSecond] : [0, shared];
    const wish = fits ? shared * ratio : (shared * leastFirst) / (leastFirst + leastSecond);
    const first = Math.min(Math.max(even(wish), from), evenBelow(to));
    place(node.first, { ...rect, [length]: first });
    place(node.second, { ...rect, [start]: rect[start] + first + gap, [length]: shared - first });
    splitters.push({
      splitId: node.id,
      direction: node.direction,
      ratio: shared === 0 ? ratio : first / shared,
      sides: [firstLeafId(node.first), firstLeafId(node.second)],
      rect: { ...rect, [start]: rect[start] + first, [length]: gap },
      start: rect[start],
      length: shared,
      min: shared === 0 ? 0 : from / shared,
      max: shared === 0 ? 1 : to / shared,
    });
  };

  place(root, {
    x: even(box.x),
    y: even(box.y),
    width: evenBelow(box.width),
    height: evenBelow(box.height),
  });
  return { leaves, splitters };
}

/** Below its strip of tabs. */
export const bodyOf = ({ x, y, width, height }: Rect): Rect => {
  const strip = Math.min(STRIP_HEIGHT, height);
  return { x, y: y + strip, width, height: height - strip };
};

type View = {
  /** The only visible leaf: on a narrow screen, or when it is maximised. */
  soloLeafId: string | undefined;
  isNarrow: boolean;
  ratios: ReadonlyMap<string, number>;
};

/** The positions of everything in a window of this size. */
export function arrangeView(
  root: LayoutNode,
  { width, height }: Size,
  { soloLeafId, isNarrow, ratios }: View,
): Arrangement {
  const margin = isNarrow ? 0 : GAP;
  const box = { x: margin, y: margin, width: width - 2 * margin, height: height - 2 * margin };
  if (soloLeafId === undefined) return arrange(root, box, ratios);
  const whole = arrange({ type: "leaf", id: soloLeafId, tabs: [], activeTabId: null }, box);
  return { leaves: whole.leaves, splitters: [] };
}

export type Side = "left" | "right" | "up" | "down";

const overlapOf = (from: number, length: number, other: number, otherLength: number): number =>
  Math.min(from + length, other + otherLength) - Math.max(from, other);

/** The nearest leaf on this side. Of several, the one that shares the longest edge. */
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

/** The parameters of a split on this side. */
export const splitAt = (side: Side) =>
  ({
    direction: side === "left" || side === "right" ? "horizontal" : "vertical",
    position: side === "left" || side === "up" ? "before" : "after",
  }) as const;

/** A rectangle as a style. `order` is its position in the reading and tab order. */
export const placed = ({ x, y, width, height }: Rect, order: number): CSSProperties => ({
  ...{ left: x, top: y, width, height },
  ...{ "--order": order },
});
