import assert from "node:assert/strict";
import { test } from "node:test";
import { boxOf, byKey, isPart, MAX_ZOOM, moved, partIn, transformOf, WHOLE, within, zoomedAt } from "./part.ts";

const near = (a: number | undefined, b: number) => assert.ok(Math.abs((a ?? Number.NaN) - b) < 1e-9, `${a}, not ${b}`);

test("a part stays inside the picture, whatever is asked for", () => {
  assert.deepEqual(within({ x: 2, y: -1, zoom: 0.1 }), WHOLE);
  assert.deepEqual(within({ x: 0, y: 1, zoom: 4 }), { x: 0.125, y: 0.875, zoom: 4 });
  assert.equal(within({ x: 0.5, y: 0.5, zoom: 99 }).zoom, MAX_ZOOM);
  assert.deepEqual(moved({ x: 0.5, y: 0.5, zoom: 2 }, 9, 0), { x: 0.75, y: 0.5, zoom: 2 });
});

test("what is under the pointer stays there when the wheel turns", () => {
  const [before, at] = [
    { x: 0.5, y: 0.5, zoom: 2 },
    { x: 0.6, y: 0.45 },
  ];
  const after = zoomedAt(before, 2, at);
  assert.equal(after.zoom, 4);
  near((at.x - boxOf(after).left) / boxOf(after).size, (at.x - boxOf(before).left) / boxOf(before).size);
  near((at.y - boxOf(after).top) / boxOf(after).size, (at.y - boxOf(before).top) / boxOf(before).size);
});

test("a second camera shows the part if it sees all of it", () => {
  const seen = { x: 0.5, y: 0.5, zoom: 4 };
  const part = partIn({ x: 0.55, y: 0.5, zoom: 8 }, seen);
  near(part?.x, 0.7);
  near(part?.y, 0.5);
  near(part?.zoom, 2);
  assert.deepEqual(partIn(seen, seen), WHOLE);
  assert.equal(partIn({ x: 0.65, y: 0.5, zoom: 8 }, seen), undefined);
  assert.equal(partIn(WHOLE, seen), undefined);
});

test("keys move and zoom, and others do nothing", () => {
  const part = { x: 0.5, y: 0.5, zoom: 2 };
  assert.deepEqual(byKey(part, "ArrowLeft", false), { x: 0.475, y: 0.5, zoom: 2 });
  assert.deepEqual(byKey(part, "ArrowDown", true), { x: 0.5, y: 0.625, zoom: 2 });
  assert.equal(byKey(part, "+", false)?.zoom, 2.5);
  assert.equal(byKey(part, "-", false)?.zoom, 1.6);
  assert.deepEqual(byKey(part, "Home", false), WHOLE);
  assert.equal(byKey(part, "a", false), undefined);
});

test("the frame is filled by the part, and states of others are checked", () => {
  assert.equal(transformOf({ x: 0.5, y: 0.5, zoom: 2 }), "scale(2.0000) translate(-25.0000%, -25.0000%)");
  assert.ok(isPart(WHOLE) && !isPart({ x: 1 }) && !isPart(null) && !isPart("a"));
});
