import assert from "node:assert/strict";
import { test } from "node:test";
import { type LogEntry, PANELS_LIMITS } from "@backplane/contract/panels";
import { addLines, type Choice, choiceOf, filterLines, sourcesOf, textOf, timeOf } from "./lines.ts";

const { maxLogEntries: MAX_LINES } = PANELS_LIMITS;
const line = (id: number, more: Partial<LogEntry> = {}): LogEntry => ({
  ...{ id, at: "2027-02-13T14:30:58.104Z", level: "info", source: "panels", message: `line ${id}` },
  ...more,
});
const ids = (lines: readonly LogEntry[]) => lines.map(({ id }) => id);
const ALL: Choice = { search: "", level: "debug", source: undefined };

test("lines that come twice, late or out of order stand once and in order", () => {
  assert.deepEqual(ids(addLines([line(1), line(3)], [line(4), line(5)])), [1, 3, 4, 5]);
  assert.deepEqual(ids(addLines([line(3), line(4)], [line(1), line(2), line(3)])), [1, 2, 3, 4]);
  assert.deepEqual(ids(addLines([], [line(2), line(1), line(2)])), [1, 2]);
});

test("nothing new is the same list: nothing is drawn again", () => {
  const lines = [line(1)];
  assert.equal(addLines(lines, []), lines);
});

test("the newest lines are kept, no more than the contract's", () => {
  const many = Array.from({ length: MAX_LINES + 10 }, (_, at) => line(at));
  assert.equal(addLines([], many).length, MAX_LINES);
  assert.equal(addLines(many, [line(5)]).at(0)?.id, 10);
  assert.equal(addLines(many.slice(0, MAX_LINES), [line(9_999)]).at(-1)?.id, 9_999);
});

test("without a choice, everything from info on is shown", () => {
  assert.deepEqual(choiceOf({}), { ...ALL, level: "info" });
  assert.deepEqual(choiceOf({ level: "constructor", source: "", search: 1 }), { ...ALL, level: "info" });
  assert.deepEqual(choiceOf({ level: "error", source: "imu", search: "a" }), {
    ...{ level: "error", source: "imu", search: "a" },
  });
});

test("a level shows itself and worse ones", () => {
  const lines = (["debug", "info", "warn", "error"] as const).map((level, at) => line(at, { level }));
  assert.deepEqual(ids(filterLines(lines, { ...ALL, level: "warn" })), [2, 3]);
  assert.deepEqual(ids(filterLines(lines, ALL)), [0, 1, 2, 3]);
});

test("a search finds all of its words, in any order and case, in source and message", () => {
  const lines = [
    line(1, { source: "imu", message: "Gyro bias settled" }),
    line(2, { source: "motors", message: "bias of phase A" }),
  ];
  assert.deepEqual(ids(filterLines(lines, { ...ALL, search: "BIAS gyro" })), [1]);
  assert.deepEqual(ids(filterLines(lines, { ...ALL, search: "  bias " })), [1, 2]);
  assert.deepEqual(ids(filterLines(lines, { ...ALL, search: "imu" })), [1]);
  assert.deepEqual(ids(filterLines(lines, { ...ALL, search: ".*" })), []);
  assert.deepEqual(ids(filterLines(lines, { ...ALL, source: "motors" })), [2]);
});

test("a chosen source can be chosen again when its lines are gone", () => {
  assert.deepEqual(sourcesOf([line(1, { source: "power" }), line(2), line(3)], "imu"), ["imu", "panels", "power"]);
});

test("a line is shown with the time of the clock here and copied with its whole time", () => {
  const at = new Date(2027, 1, 13, 4, 5, 6, 7);
  assert.equal(timeOf(line(1, { at: at.toISOString() })), "04:05:06.007");
  assert.equal(timeOf(line(1, { at: "no time" })), "no time");
  assert.equal(textOf(line(1)), "2027-02-13T14:30:58.104Z info panels line 1");
});
