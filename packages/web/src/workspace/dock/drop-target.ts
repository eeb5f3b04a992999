import type { Layout } from "@backplane/contract/panels";
import { bodyOf, type Rect, type Side, STRIP_HEIGHT } from "./geometry.ts";
import { findLeaf, leafOfTab } from "./layout-tree.ts";

/** Where a tab under the pointer would go. */
export type Drop =
  | { kind: "insert"; leafId: string; index: number }
  | { kind: "join"; leafId: string }
  | { kind: "split"; leafId: string; side: Side };

type Point = { x: number; y: number };
/** In the coordinates of the dock. */
export type TabExtent = { left: number; right: number };

/** The part of a panel's width or height that counts as its edge. */
const EDGE_SHARE = 0.25;
const MAX_EDGE = 160;

const holds = ({ x, y, width, height }: Rect, point: Point): boolean =>
  point.x >= x && point.x < x + width && point.y >= y && point.y < y + height;

function sideAt(body: Rect, point: Point): Side | undefined {
  const edgeX = Math.min(body.width * EDGE_SHARE, MAX_EDGE);
  const edgeY = Math.min(body.height * EDGE_SHARE, MAX_EDGE);
  // Relative to the edge, so that a corner belongs to the nearer side.
  const depths: [Side, number][] = [
    ["left", (point.x - body.x) / edgeX],
    ["right", (body.x + body.width - point.x) / edgeX],
    ["up", (point.y - body.y) / edgeY],
    ["down", (body.y + body.height - point.y) / edgeY],
  ];
  const [nearest] = depths.filter(([, depth]) => depth < 1).sort(([, a], [, b]) => a - b);
  return nearest?.[0];
}

export function dropAt(
  point: Point,
  leaves: ReadonlyMap<string, Rect>,
  tabsIn: (leafId: string) => readonly TabExtent[],
): Drop | undefined {
  for (const [leafId, rect] of leaves) {
    if (!holds(rect, point)) continue;
    if (point.y < rect.y + STRIP_HEIGHT) {
      const index = tabsIn(leafId).filter(({ left, right }) => point.x > (left + right) / 2).length;
      return { kind: "insert", leafId, index };
    }
    const side = sideAt(bodyOf(rect), point);
    return side ? { kind: "split", leafId, side } : { kind: "join", leafId };
  }
  return undefined;
}

/** Whether a drop would change anything. */
export function changes(root: Layout["root"], tabId: string, drop: Drop): boolean {
  const source = leafOfTab(root, tabId);
  const target = findLeaf(root, drop.leafId);
  if (!source || !target) return false;
  if (source !== target) return true;
  if (drop.kind === "join") return false;
  if (drop.kind === "split") return source.tabs.length > 1;
  const from = source.tabs.findIndex(({ id }) => id === tabId);
  return drop.index !== from && drop.index !== from + 1;
}

/** The area that the tab would take. */
export function previewOf(drop: Drop, leaf: Rect): Rect {
  if (drop.kind === "insert") return { ...leaf, height: STRIP_HEIGHT };
  const body = bodyOf(leaf);
  if (drop.kind === "join") return body;
  const [halfWidth, halfHeight] = [body.width / 2, body.height / 2];
  switch (drop.side) {
    case "left":
      return { ...body, width: halfWidth };
    case "right":
      return { ...body, x: body.x + halfWidth, width: halfWidth };
    case "up":
      return { ...body, height: halfHeight };
    case "down":
      return { ...body, y: body.y + halfHeight, height: halfHeight };
  }
}
