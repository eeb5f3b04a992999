import assert from "node:assert/strict";
import { test } from "node:test";
import { type Camera, keptInView, panned, seenBox, toSheet, whole, zoomed } from "./camera.ts";
import { TILE_PX, Tiles } from "./tiles.ts";

const SIZE = { width: 800, height: 600 };
const SHEET = { left: 0, top: 0, right: 297, bottom: 210 };

test("the whole sheet is seen, in the middle", () => {
  const seen = seenBox(whole(SHEET, SIZE), SIZE);
  assert.ok(seen.left < 0 && seen.top < 0 && seen.right > 297 && seen.bottom > 210);
  assert.ok(Math.abs(seen.left + seen.right - 297) < 1e-6 && Math.abs(seen.top + seen.bottom - 210) < 1e-6);
});

test("zooming keeps the place under the pointer, and has limits", () => {
  const camera: Camera = { x: 10, y: 20, scale: 4 };
  const at = { x: 123, y: 45 };
  const before = toSheet(camera, at);
  const after = toSheet(zoomed(camera, 2.5, at), at);
  assert.ok(Math.abs(before.x - after.x) < 1e-9 && Math.abs(before.y - after.y) < 1e-9);
  assert.ok(zoomed(camera, 1e9, at).scale < 1_000);
  assert.ok(zoomed(camera, 1e-9, at).scale > 0.01);
});

test("the sheet cannot be lost by moving it", () => {
  const camera = keptInView(panned({ x: 0, y: 0, scale: 4 }, 99_999, -99_999), SHEET, SIZE);
  const seen = seenBox(camera, SIZE);
  assert.ok(seen.right > 0 && seen.left < 297 && seen.bottom > 0 && seen.top < 210);
});

function tilesOf(costMs: number) {
  let nowMs = 0;
  const painted: string[] = [];
  const tiles = new Tiles<{ name: string }>({
    scale: 2,
    make: () => ({ name: "" }),
    paint: (canvas, box) => {
      nowMs += costMs;
      canvas.name = `${box.left},${box.top}`;
      painted.push(canvas.name);
    },
    nowMs: () => nowMs,
  });
  return { tiles, painted };
}
const part = (x: number, y: number) => ({ x, y, width: TILE_PX, height: TILE_PX });

test("what was painted is only copied when the sheet moves, and what is missing is painted within the budget", () => {
  const { tiles, painted } = tilesOf(6);
  const copied: number[][] = [];
  const show = (x: number, y: number) => tiles.show(part(x, y), 9, (_, left, top) => copied.push([left, top]));
  assert.equal(show(10, 10), false, "four tiles of 6 ms do not fit into 9 ms");
  assert.equal(painted.length, 2);
  assert.equal(show(10, 10), true);
  assert.equal(painted.length, 4);
  copied.length = 0;
  assert.equal(show(20, 30), true);
  assert.equal(painted.length, 4, "nothing is painted again");
  assert.deepEqual(copied[0], [-20, -30]);
});

test("only the tiles that show a change are painted again", () => {
  const { tiles, painted } = tilesOf(0);
  tiles.show(part(10, 10), 9, () => {});
  const side = TILE_PX / 2;
  tiles.drop([{ left: side + 5, right: side + 6, top: 5, bottom: 6 }]);
  painted.length = 0;
  tiles.show(part(10, 10), 9, () => {});
  assert.deepEqual(painted, [`${side},0`]);
});

test("tiles that were not seen for long are forgotten", () => {
  const { tiles, painted } = tilesOf(0);
  for (let step = 0; step < 200; step += 1) tiles.show(part(step * TILE_PX, 0), 9, () => {});
  painted.length = 0;
  tiles.show(part(0, 0), 9, () => {});
  assert.equal(painted.length, 1);
});
