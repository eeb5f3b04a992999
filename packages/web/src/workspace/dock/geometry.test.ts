import assert from "node:assert/strict";
import { test } from "node:test";
import type { LayoutNode } from "@backplane/contract/panels";
import fc from "fast-check";
import { arrange, bodyOf, GAP, neighbourOf, type Rect, STRIP_HEIGHT, splitAt } from "./geometry.ts";

const leaf = (id: string): LayoutNode => ({ type: "leaf", id, tabs: [], activeTabId: null });

/** Trees with unique ids. */
const trees = (depth: number): fc.Arbitrary<LayoutNode> => {
  let count = 0;
  const node = fc.letrec<{ node: LayoutNode }>((tie) => ({
    node: fc.oneof(
      { maxDepth: depth, depthSize: "small" },
      fc.constant(null).map(() => leaf(`leaf${count++}`)),
      fc
        .tuple(
          fc.constantFrom("horizontal" as const, "vertical" as const),
          fc.double({ min: 0.05, max: 0.95, noNaN: true }),
          tie("node"),
          tie("node"),
        )
        .map(([direction, ratio, first, second]) => ({
          ...{ type: "split" as const, id: `split${count++}`, direction, ratio, first, second },
        })),
    ),
  }));
  return node.node;
};

const boxes = fc.record({
  x: fc.integer({ min: 0, max: 20 }),
  y: fc.integer({ min: 0, max: 60 }),
  width: fc.double({ min: 0, max: 4_000, noNaN: true }),
  height: fc.double({ min: 0, max: 3_000, noNaN: true }),
});

const overlap = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const area = ({ width, height }: Rect): number => width * height;

test("leaves and gaps cover the box without overlap, and every leaf has even sizes", () => {
  fc.assert(
    fc.property(trees(5), boxes, (root, box) => {
      const { leaves, splitters } = arrange(root, box);
      const rects = [...leaves.values(), ...splitters.map(({ rect }) => rect)];
      for (const rect of leaves.values()) {
        for (const value of Object.values(rect)) assert.equal(value % 2, 0);
      }
      for (const rect of rects) assert.ok(rect.width >= 0 && rect.height >= 0);
      for (const [place, rect] of rects.entries()) {
        for (const other of rects.slice(place + 1)) assert.ok(!overlap(rect, other));
      }
      const whole = Math.floor(box.width / 2) * 2 * (Math.floor(box.height / 2) * 2);
      assert.equal(
        rects.reduce((sum, rect) => sum + area(rect), 0),
        whole,
      );
    }),
  );
});

const split = (ratio: number): LayoutNode => ({
  ...{ type: "split", id: "s", direction: "horizontal", ratio, first: leaf("a"), second: leaf("b") },
});
const box = { x: 0, y: 0, width: 1008, height: 600 };

test("a ratio is the share of the first side, and a previewed one counts", () => {
  assert.equal(arrange(split(0.6), box).leaves.get("a")?.width, 600);
  assert.equal(arrange(split(0.6), box, new Map([["s", 0.3]])).leaves.get("a")?.width, 300);
  const [splitter] = arrange(split(0.6), box).splitters;
  assert.deepEqual(splitter?.rect, { x: 600, y: 0, width: GAP, height: 600 });
});

test("no side becomes too small to use while there is room for both", () => {
  const { leaves, splitters } = arrange(split(0.05), box);
  assert.equal(leaves.get("a")?.width, 120);
  assert.equal(splitters[0]?.min, 0.12);
  const narrow = arrange(split(0.9), { ...box, width: 100 }).leaves;
  assert.deepEqual([narrow.get("a")?.width, narrow.get("b")?.width], [46, 46]);
});

test("the body of a panel is below its strip", () => {
  assert.deepEqual(bodyOf({ x: 2, y: 4, width: 100, height: 200 }), {
    ...{ x: 2, y: 4 + STRIP_HEIGHT, width: 100, height: 200 - STRIP_HEIGHT },
  });
});

// left | top right
//      | low right
const neighbours = new Map([
  ["left", { x: 0, y: 0, width: 100, height: 200 }],
  ["top", { x: 108, y: 0, width: 100, height: 120 }],
  ["low", { x: 108, y: 128, width: 100, height: 72 }],
]);

test("a neighbour is the nearest leaf on that side, with the longest shared edge", () => {
  assert.equal(neighbourOf(neighbours, "left", "right"), "top");
  assert.equal(neighbourOf(neighbours, "low", "up"), "top");
  assert.equal(neighbourOf(neighbours, "low", "left"), "left");
  assert.equal(neighbourOf(neighbours, "top", "down"), "low");
});

test("at the edge of the workspace there is no neighbour", () => {
  assert.equal(neighbourOf(neighbours, "left", "left"), undefined);
  assert.equal(neighbourOf(neighbours, "top", "up"), undefined);
  assert.equal(neighbourOf(neighbours, "gone", "up"), undefined);
});

test("a side becomes a direction and a position", () => {
  assert.deepEqual(splitAt("left"), { direction: "horizontal", position: "before" });
  assert.deepEqual(splitAt("down"), { direction: "vertical", position: "after" });
});
