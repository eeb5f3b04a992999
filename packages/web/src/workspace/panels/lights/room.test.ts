import assert from "node:assert/strict";
import { test } from "node:test";
import { agrees, answerOf, common, lampsBetween, placeOf, readScenes, scaleOf, stateWords } from "./room.ts";

test("a lamp that says yes is believed when it also reports it", () => {
  const asked = { asked: { brightness_pct: 60 }, ack: { ok: true, tookMs: 84 }, answeredMs: 1_000 };
  assert.deepEqual(answerOf(asked, { brightness_pct: 60.4 }, 1_100), { tone: "ok", word: "84 ms", isThere: true });
  assert.equal(answerOf(asked, { brightness_pct: 0 }, 1_100).word, "accepted");
  assert.equal(answerOf(asked, { brightness_pct: 0 }, 3_000).word, "no change");
  assert.equal(answerOf(asked, {}, 3_000).word, "no change");
  const silent = { ...asked, ack: { ok: false, code: "no-answer" as const, tookMs: 2_000 } };
  assert.equal(answerOf(silent, { brightness_pct: 60 }, 3_000).word, "no answer");
  assert.equal(answerOf({ ...asked, ack: undefined }, { brightness_pct: 60 }, 3_000).isThere, false);
});

test("off is off, however bright it would be", () => {
  assert.ok(agrees({ on: false, brightness_pct: 40 }, { on: false, brightness_pct: 80 }));
  assert.ok(!agrees({ on: true, brightness_pct: 80 }, { on: false }));
});

test("one gesture chooses the lamps that it goes over, from whichever corner", () => {
  const places = new Map([
    ["a", [0.1, 0.1] as const],
    ["b", [0.5, 0.2] as const],
    ["c", [0.9, 0.9] as const],
  ]);
  assert.deepEqual(lampsBetween(places, [0, 0], [0.6, 0.3]), ["a", "b"]);
  assert.deepEqual(lampsBetween(places, [1, 1], [0.4, 0.15]), ["b", "c"]);
});

test("lamps are where they were put, never off the plan, else in rows", () => {
  assert.deepEqual(placeOf({ a: [0.4, 7] }, "a", 0, 8), [0.4, 0.97]);
  assert.deepEqual(placeOf({ a: ["x", 1] }, "a", 5, 8), [0.375, 0.75]);
  assert.deepEqual(placeOf(undefined, "constructor", 0, 1), [0.125, 0.5]);
});

test("scenes that cannot be read are left out", () => {
  const good = { name: "Work", lamps: { "a/b": { on: true, brightness_pct: "x" } } };
  const state = { on: true, brightness_pct: undefined, kelvin: undefined };
  assert.deepEqual(readScenes([good, 3, { name: 4 }, null]), [{ name: "Work", lamps: { "a/b": state } }]);
  assert.deepEqual(readScenes("x"), []);
  assert.equal(stateWords({ on: true, brightness_pct: 60, kelvin: 3_000 }), "60 %, 3000 K");
  assert.equal(stateWords({ on: false }), "off");
  const states = [{ kelvin: 1 }, { on: true, kelvin: 2 }, { on: true, kelvin: 2 }];
  assert.deepEqual(common(states), { on: true, brightness_pct: undefined, kelvin: 2 });
});

test("the scale is a round length, about a fifth of the room", () => {
  assert.deepEqual(scaleOf(8.6), { lengthM: 2, share: 2 / 8.6 });
  assert.deepEqual(scaleOf(4), { lengthM: 1, share: 0.25 });
  for (const wrong of [undefined, "8", 0, -3, Number.NaN]) assert.equal(scaleOf(wrong), undefined);
});
