import assert from "node:assert/strict";
import { test } from "node:test";
import { changedOf, settingsOf } from "./settings.ts";

const command = {
  effect: "changes" as const,
  params: {
    properties: {
      timing_deg: { type: "number", minimum: 0, maximum: 30 },
      brake_on_stop: { type: "boolean" },
      direction: { type: "string", enum: ["normal", "reversed"] },
      melody: { type: "array" },
    },
  },
};

test("the settings are those of the command, with what the controller says", () => {
  assert.deepEqual(settingsOf(command, { timing_deg: 18, brake_on_stop: "odd" }), [
    { id: "timing_deg", name: "Timing, °", type: "number", now: 18, min: 0, max: 30 },
    { id: "brake_on_stop", name: "Brake on stop", type: "boolean", now: undefined },
    { id: "direction", name: "Direction", type: "choice", choices: ["normal", "reversed"], now: undefined },
  ]);
  assert.deepEqual(settingsOf(undefined, null), []);
});

test("only what is different is sent", () => {
  const settings = settingsOf(command, { timing_deg: 18, direction: "normal" });
  assert.deepEqual(changedOf(settings, { timing_deg: 18, direction: "reversed", other: 1 }), { direction: "reversed" });
});
