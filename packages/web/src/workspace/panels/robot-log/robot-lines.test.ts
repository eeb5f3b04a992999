import assert from "node:assert/strict";
import { test } from "node:test";
import { barsOf, createRobotLines, foldLines, stormsOf } from "./robot-lines.ts";

const line = (tMs: number, level = "info", source = "arm") => ({
  tMs,
  device: "rover",
  level,
  source,
  text: `at ${tMs}`,
});
const linesOf = (...said: ReturnType<typeof line>[]) => {
  const store = createRobotLines();
  store.take({ lines: said, dropped: 0, isHistory: true });
  return store;
};

test("lines are numbered as they come; history replaces them; unknown levels are info", () => {
  const store = linesOf(line(1), line(2, "fatal"), line(3, "loud"));
  assert.deepEqual(
    store.lines().map(({ level }) => level),
    ["info", "error", "info"],
  );
  store.take({ lines: [line(4)], dropped: 0, isHistory: false });
  assert.equal(store.lines().length, 4);
  store.take({ lines: [line(9)], dropped: 0, isHistory: true });
  assert.deepEqual(
    store.lines().map(({ tMs }) => tMs),
    [9],
  );
});

test("lines are kept for ten minutes, at least 1,000 and at most 10,000 of them", () => {
  const minute = 60_000;
  const store = createRobotLines();
  const say = (count: number, fromMs: number, everyMs: number) => {
    const lines = Array.from({ length: count }, (_, i) => line(fromMs + i * everyMs));
    store.take({ lines, dropped: 0, isHistory: false });
    return store.lines().length;
  };
  assert.equal(say(999, 0, minute), 999);
  assert.equal(say(2, 1_000 * minute, minute), 1_000);
  assert.equal(say(5_000, 2_000 * minute, 100), 5_000);
  assert.equal(say(5_000, 2_000 * minute + 500_000, 100), 6_001);
  assert.equal(say(20_000, 2_100 * minute, 1), 10_000);
});

test("more than 200 lines per second of one source are one row, warnings never, and it opens", () => {
  const lines = linesOf(
    ...Array.from({ length: 300 }, (_, i) => line(i)),
    line(500, "warn"),
    line(600, "info", "camera"),
    line(1_000),
  ).lines();
  const { rows, folds } = foldLines(lines, new Set());
  assert.equal(rows.length, 200 + 1 + 3);
  const [[id, hidden] = [0, 0]] = folds;
  assert.equal(hidden, 100);
  assert.match(rows[200]?.message ?? "", /^100 more lines in 0\.1 s, folded/);
  assert.equal(foldLines(lines, new Set([id])).rows.length, lines.length);
});

test("a source that says more than is read is a storm, however many seconds it lasts", () => {
  const burst = (fromMs: number, source: string) =>
    Array.from({ length: 201 }, (_, i) => line(fromMs + i, "info", source));
  const quiet = Array.from({ length: 200 }, (_, i) => line(i, "info", "camera"));
  const lines = linesOf(...quiet, ...burst(0, "arm"), ...burst(1_000, "arm"), ...burst(5_000, "arm")).lines();
  assert.deepEqual(stormsOf(lines), [
    { tMs: 0, device: "rover", source: "arm", count: 402 },
    { tMs: 5_000, device: "rover", source: "arm", count: 201 },
  ]);
});

test("bars count what was said over time, by level", () => {
  const bars = barsOf(linesOf(line(0), line(10, "warn"), line(60, "error"), line(500)).lines(), 2, 0, 100);
  assert.deepEqual(bars, [
    { quiet: 1, warn: 1, error: 0 },
    { quiet: 0, warn: 0, error: 1 },
  ]);
});
