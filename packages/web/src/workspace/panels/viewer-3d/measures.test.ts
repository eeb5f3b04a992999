import assert from "node:assert/strict";
import { test } from "node:test";
import { distanceFor, gridFor, isModel, kindOf, lengthWords, sizeOfBox } from "./measures.ts";

test("lengths have three significant digits", () => {
  assert.deepEqual([0, 0.0312, 4.254, 31.26, 120.4, 12_345.6].map(lengthWords), [
    "0 mm",
    "0.031 mm",
    "4.25 mm",
    "31.3 mm",
    "120 mm",
    "12,346 mm",
  ]);
  assert.equal(sizeOfBox({ x: 100, y: 50.5, z: 1 }), "100 mm × 50.5 mm × 1 mm");
  assert.equal(sizeOfBox({ x: 100, y: 2e-14, z: 100 }), "100 mm × 0 mm × 100 mm");
});

test("the grid has squares of a round size, ten to thirty under any model", () => {
  for (const side of [0.003, 0.9, 7, 42, 120, 999, 25_000]) {
    const { stepMm, squares } = gridFor({ x: side, y: side / 3, z: side });
    assert.match(String(Number(stepMm.toPrecision(1))), /^(0\.0*)?[125]0*$/, `${side}: ${stepMm}`);
    assert.ok(squares >= 10 && squares <= 40, `${side}: ${squares}`);
    assert.ok(squares * stepMm >= side * 1.5);
  }
  assert.ok(gridFor({ x: 0, y: 0, z: 0 }).stepMm > 0);
});

test("the camera is further away in a narrow panel", () => {
  assert.ok(distanceFor(1, 40, 0.5) > distanceFor(1, 40, 1));
  assert.equal(distanceFor(1, 40, 2), distanceFor(1, 40, 1));
});

test("models are recognised by their file extension", () => {
  assert.deepEqual(["a.STL", "b.glb", "c/d.gltf", "e.step", "stl"].map(kindOf), [
    "stl",
    "glb",
    "gltf",
    undefined,
    undefined,
  ]);
  assert.equal(isModel("a.stl"), true);
});
