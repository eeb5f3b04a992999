import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack } from "../../parts/plot/track.ts";
import {
  airWords,
  checksWords,
  isKeptOut,
  NO_PUSH,
  pushOfKeys,
  pushOfPointer,
  readChecks,
  readKeepOut,
  shownM,
  velocityOf,
  wayOf,
} from "./flight.ts";

test("pre-arm checks are said in words, and only those that the drone sent", () => {
  const checks = readChecks([
    { name: "GPS", ok: false, detail: "4 satellites" },
    { name: "Compass", ok: false },
    { name: "Battery", ok: true },
    5,
    null,
  ]);
  assert.equal(checks.length, 3);
  assert.equal(checksWords(checks), "GPS: 4 satellites; Compass");
  assert.equal(checksWords(checks.slice(2)), undefined);
  assert.deepEqual(readChecks("all well"), []);
  assert.deepEqual([airWords(252), airWords(undefined)], ["4:12", "–"]);
});

test("keys and pointer push in the same directions, opposite keys cancel, and the middle is rest", () => {
  assert.deepEqual(pushOfKeys(["KeyW", "KeyD"]), { ahead: 1, right: 1, up: 0, turn: 0 });
  assert.deepEqual(pushOfKeys(["KeyW", "KeyS", "KeyE"]), { ...NO_PUSH, turn: 1 });
  assert.deepEqual(pushOfKeys(["KeyX"]), NO_PUSH);
  assert.deepEqual(pushOfPointer(0, -1), { ...NO_PUSH, ahead: 1 });
  assert.deepEqual(pushOfPointer(3, 0), { ...NO_PUSH, right: 1 });
  assert.deepEqual(pushOfPointer(0.05, 0.05), NO_PUSH);
});

test("a push is a velocity within what the drone declares", () => {
  const limits = { forward_m_s: 4, right_m_s: 4, up_m_s: 0.5, turn_deg_s: 90 };
  assert.deepEqual(velocityOf({ ahead: 1, right: -0.5, up: 1, turn: -1 }, 6, limits), {
    ...{ forward_m_s: 4, right_m_s: -2, up_m_s: 0.5, turn_deg_s: -30 },
  });
});

test("the way has gaps where nothing is known, and the map shows all of it", () => {
  const track = createTrack();
  track.append({
    tMs: [1, 2, 3],
    fields: { north_m: [0, null, 20], east_m: [0, null, 0] },
    isHistory: false,
    thinned: false,
  });
  assert.deepEqual(wayOf(track, 0), [{ north: 0, east: 0 }, undefined, { north: 20, east: 0 }]);
  assert.equal(shownM(wayOf(track, 0), undefined), 25);
  assert.ok(shownM([], 40) <= 44);
});

test("areas to keep out of are those that the drone lists; a place is in one, or not", () => {
  const square = [
    [0, 0],
    [0, 10],
    [10, 10],
    [10, 0],
  ];
  const areas = readKeepOut([square, [[1, 2]], "odd", [[1, 2], 3, [4, 5]]]);
  assert.equal(areas.length, 1);
  assert.equal(isKeptOut(areas, { north: 5, east: 5 }), true);
  assert.equal(isKeptOut(areas, { north: 5, east: 11 }), false);
  assert.equal(isKeptOut(areas, { north: -1, east: 5 }), false);
  assert.equal(isKeptOut([], { north: 5, east: 5 }), false);
});
