import assert from "node:assert/strict";
import { test } from "node:test";
import { addFrame, angleAt, channelsOf, poseNow, poseParams, readFrames, stepsOf } from "./frames.ts";

const frames = [
  { name: "Rest", atS: 0, pose: { elbow: 0, base: 10 } },
  { name: "Grip", atS: 2, pose: { elbow: 90 } },
];

test("the channels are the angles of a pose, with their limits", () => {
  const properties = { elbow_deg: { minimum: -120, maximum: 120 }, over_s: {}, wrist_deg: {}, odd: 3 };
  const capability = {
    commands: { pose: { effect: "moves" as const, params: { properties } } },
    fields: { wrist_deg: { datatype: "number" as const, max: 90 } },
  };
  assert.deepEqual(channelsOf(capability), [
    { id: "elbow", name: "Elbow", limits: [-120, 120] },
    { id: "wrist", name: "Wrist", limits: [-180, 90] },
  ]);
  const [elbow] = channelsOf(capability);
  assert.deepEqual(poseNow(elbow ? [elbow] : [], { elbow_deg: 120.04, wrist_deg: null }), { elbow: 120 });
  assert.deepEqual(poseParams({ elbow: 12.3456 }), { elbow_deg: 12.3 });
});

test("between key frames an angle is on the straight line; before and after it stays", () => {
  assert.equal(angleAt(frames, "elbow", 1), 45);
  assert.equal(angleAt(frames, "elbow", 9), 90);
  assert.equal(angleAt(frames, "base", 1.5), 10);
  assert.equal(angleAt(frames, "constructor", 1), undefined);
});

test("the way to the first key frame takes its time, each other one as long as the time line says", () => {
  assert.deepEqual(
    stepsOf(frames).map(({ overS, endS }) => [overS, endS]),
    [
      [1.5, 0],
      [2, 2],
    ],
  );
});

test("key frames are read in the order of their times, without what is wrong", () => {
  const read = readFrames([
    frames[1] as never,
    { name: "x" },
    7,
    frames[0] as never,
    { name: "y", atS: 1, pose: { elbow: "up" } },
  ]);
  assert.deepEqual(
    read.map(({ name, pose }) => [name, Object.keys(pose)]),
    [
      ["Rest", ["elbow", "base"]],
      ["y", []],
      ["Grip", ["elbow"]],
    ],
  );
  assert.equal(readFrames(new Array(1_000).fill(frames[0])).length, 24);
  assert.equal(addFrame(frames, {}).at(-1)?.atS, 3);
});
