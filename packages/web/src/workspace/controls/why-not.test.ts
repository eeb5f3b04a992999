import assert from "node:assert/strict";
import { test } from "node:test";
import { limitsOf, wordsOf } from "./params.ts";
import { whyNot } from "./why-not.ts";

const free = { stopped: null, mayControl: true, isMine: false, device: { isArmed: false, state: "ready" } } as const;

test("what moves needs control and arming; a lamp needs neither, and a stop does not darken it", () => {
  assert.equal(whyNot(free, "live", "moves"), "take control first");
  assert.equal(whyNot({ ...free, isMine: true }, "live", "powers"), "arm first");
  assert.equal(
    whyNot({ ...free, isMine: true, device: { isArmed: true, state: "ready" } }, "live", "moves"),
    undefined,
  );
  const stopped = { by: "Ada", at: "2026-01-01T00:00:00Z" };
  assert.equal(whyNot({ ...free, stopped }, "live", "moves"), "stopped");
  assert.equal(whyNot({ ...free, stopped }, "live", "changes"), undefined);
});

test("nothing is sent in a replay, to a device that is lost, or by people who may only look", () => {
  assert.equal(whyNot(free, "replay", "changes"), "replay: commands are off");
  assert.equal(whyNot({ ...free, mayControl: false }, "live", "changes"), "you can only look");
  assert.equal(whyNot({ ...free, device: { isArmed: false, state: "lost" } }, "live", "changes"), "the device is lost");
});

test("limits are those of the parameter, else those of what is measured", () => {
  const field = { datatype: "number" as const, min: -1, max: 9 };
  const commands = {
    go: { effect: "moves" as const, params: { properties: { speed: { type: "number", maximum: 5 }, other: true } } },
  };
  assert.deepEqual(limitsOf({ commands, fields: { speed: field } }, "go", "speed"), [-1, 5]);
  assert.deepEqual(limitsOf({ commands, fields: {} }, "toString", "constructor", [3, 4]), [3, 4]);
  assert.equal(wordsOf("shoulder_l"), "Shoulder l");
});
