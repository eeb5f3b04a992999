import assert from "node:assert/strict";
import { test } from "node:test";
import { jointsOf, reachOf, readArm } from "./arm.ts";

const described = {
  ...{ base_mm: 50, turn: "base" },
  links: [
    { channel: "shoulder", length_mm: 100, zero_deg: -90 },
    { channel: "elbow", length_mm: 80 },
    { channel: "odd", length_mm: -1 },
    "not a link",
  ],
};

test("what the device describes is read; links without a length are left out", () => {
  const arm = readArm(described);
  assert.ok(arm);
  assert.equal(reachOf(arm), 180);
  assert.deepEqual([arm.baseMm, arm.turn, arm.links.length], [50, "base", 2]);
  for (const wrong of [undefined, null, 3, {}, { links: [] }, { links: "x" }]) assert.equal(readArm(wrong), undefined);
});

test("each link goes on from the one before it, by the angle of its servo", () => {
  const arm = readArm(described);
  assert.ok(arm);
  const rounded = (angles: Record<string, number>) =>
    jointsOf(arm, (channel) => angles[channel]).map(({ x, z }) => [Math.round(x), Math.round(z)]);
  assert.deepEqual(rounded({ shoulder: 90, elbow: 90 }), [
    [0, 50],
    [0, 150],
    [80, 150],
  ]);
  assert.deepEqual(rounded({ shoulder: 0, elbow: 0 }), [
    [0, 50],
    [-100, 50],
    [-180, 50],
  ]);
});

test("what is not known is not drawn", () => {
  const arm = readArm(described);
  assert.equal(arm && jointsOf(arm, (channel) => (channel === "shoulder" ? 90 : undefined)).length, 2);
});
