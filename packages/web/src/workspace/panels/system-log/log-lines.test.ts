import assert from "node:assert/strict";
import { test } from "node:test";
import { type LogEntry, PANELS_LIMITS } from "@backplane/contract/panels";
import {
  addLines,
  announcementOf,
  filterLines,
  filterOf,
  type LogFilter,
  rowForKey,
  sourcesOf,
  textOf,
  timeOf,
  writeCommand,
} from "./log-lines.ts";

const { maxLogEntries } = PANELS_LIMITS;
const line = (id: number, more: Partial<LogEntry> = {}): LogEntry => ({
  ...{ id, at: "2027-02-13T14:30:58.104Z", level: "info", source: "panels", message: `line ${id}` },
  ...more,
});
const ids = (lines: readonly LogEntry[]) => lines.map(({ id }) => id);
const ALL: LogFilter = { search: "", level: "debug", source: undefined };

test("lines that come twice, late or out of order appear once and in order", () => {
  assert.deepEqual(ids(addLines([line(1), line(3)], [line(4), line(5)])), [1, 3, 4, 5]);
  assert.deepEqual(ids(addLines([line(3), line(4)], [line(1), line(2), line(3)])), [1, 2, 3, 4]);
  assert.deepEqual(ids(addLines([], [line(2), line(1), line(2)])), [1, 2]);
});

test("no new lines give the same list, so that nothing is drawn again", () => {
  const lines = [line(1)];
  assert.equal(addLines(lines, []), lines);
});

test("the newest lines are kept, up to the limit", () => {
  const many = Array.from({ length: maxLogEntries + 10 }, (_, at) => line(at));
  assert.equal(addLines([], many).length, maxLogEntries);
  assert.equal(addLines(many, [line(5)]).at(0)?.id, 10);
  assert.equal(addLines(many.slice(0, maxLogEntries), [line(9_999)]).at(-1)?.id, 9_999);
});

test("without a filter, info and above is shown", () => {
  assert.deepEqual(filterOf({}), { ...ALL, level: "info" });
  assert.deepEqual(filterOf({ level: "constructor", source: "", search: 1 }), { ...ALL, level: "info" });
  assert.deepEqual(filterOf({ level: "error", source: "imu", search: "a" }), {
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

test("the selected source stays in the list when its lines are gone", () => {
  assert.deepEqual(sourcesOf([line(1, { source: "power" }), line(2), line(3)], "imu"), ["imu", "panels", "power"]);
});

test("a line shows local time and is copied with its full timestamp", () => {
  const at = new Date(2027, 1, 13, 4, 5, 6, 7);
  assert.equal(timeOf(line(1, { at: at.toISOString() })), "04:05:06.007");
  assert.equal(timeOf(line(1, { at: "no time" })), "no time");
  assert.equal(textOf(line(1)), "2027-02-13T14:30:58.104Z info panels line 1");
});

test("keys move through the lines and stop at both ends", () => {
  const move = (key: string, from: number) => rowForKey(key, from, 2_000, 9);
  assert.deepEqual(
    ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"].map((key) => move(key, 5)),
    [...[4, 6, 0, 14, 0, 1_999]],
  );
  assert.equal(move("ArrowDown", 1_999), 1_999);
  assert.equal(move("a", 5), undefined);
  assert.equal(rowForKey("Home", -1, 0, 9), undefined);
});

test("warnings and errors are announced together, with the last of the worst; information is not", () => {
  const lines = [
    line(1, { level: "error", source: "power", message: "rail off" }),
    line(2, { level: "warn", source: "power", message: "24 V at 22.9 V" }),
    line(3, { level: "warn" }),
  ];
  assert.equal(announcementOf(lines), "1 error, 2 warnings. power: rail off");
  assert.equal(announcementOf(lines.slice(1, 2)), "1 warning. power: 24 V at 22.9 V");
  assert.equal(announcementOf([line(1), line(2, { level: "debug" })]), undefined);
});

test("the command to write a line has the address of this workspace and no key", () => {
  const command = writeCommand("http://localhost:8790", "/api/workspaces/editor/owner/rover/current/log");
  assert.match(command, /^curl -sS "http:\/\/localhost:8790\/api\/workspaces\/editor\/owner\/rover\/current\/log" /);
  assert.match(command, /"X-Api-Key: \$BACKPLANE_API_KEY"/);
  assert.deepEqual(Object.keys(JSON.parse(/-d '(.*)'$/.exec(command)?.[1] ?? "")), ["source", "level", "message"]);
});
