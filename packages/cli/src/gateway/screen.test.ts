import assert from "node:assert/strict";
import { test } from "node:test";
import { drawScreen, type ScreenSize } from "./screen.ts";
import { RUNNING } from "./snapshot.suite.ts";

const URL = "http://localhost:8796";
const draw = (size: ScreenSize, goneSince?: Date) =>
  drawScreen({ snapshot: RUNNING, goneSince }, URL, size).map((line) => line.map(({ text }) => text).join(""));

test("the screen shows state, figures, one block per check, events, and how to leave", () => {
  const lines = draw({ columns: 100, rows: 30 });
  assert.equal(lines[0], "● Gateway is running");
  assert.equal(lines[1], "  Process 48213, up 6 min, 2 applications waiting");
  assert.ok(lines.some((line) => /^ {2}Last check +\d\d:\d\d:\d\d, answered in 3 ms$/.test(line)));
  assert.ok(lines.includes("  Failures      0 of 3 in a row"));
  assert.ok(lines.includes("  ▅█·▂"));
  assert.ok(lines.some((line) => line.endsWith("  Gateway restarted, process 48213")));
  assert.match(lines.at(-1) ?? "", /http:\/\/localhost:8796 {2}Ctrl-C ends this view; the gateway keeps running\.$/);
});

test("the screen is never larger than the terminal; events are dropped first", () => {
  for (const [columns, rows] of [
    [20, 3],
    [40, 11],
    [40, 12],
    [200, 60],
  ] as const) {
    const lines = draw({ columns, rows });
    assert.ok(lines.length <= rows);
    assert.ok(lines.every((line) => line.length <= columns));
  }
  assert.ok(!draw({ columns: 80, rows: 12 }).some((line) => line.includes("restarted")));
});

test("it shows the newest checks when not all fit", () => {
  const lines = drawScreen(
    {
      snapshot: {
        ...RUNNING,
        checks: Array.from({ length: 60 }, (_, index) => ({ at: "", outcome: index > 49 ? "failed" : "ok" })),
      },
      goneSince: undefined,
    },
    URL,
    { columns: 22, rows: 30 },
  ).map((line) => line.map(({ text }) => text).join(""));
  assert.ok(lines.includes(`  ${"▂".repeat(10)}${"█".repeat(10)}`));
});

test("the first line says that the watchdog does not answer; the last known state stays", () => {
  const lines = draw({ columns: 100, rows: 30 }, new Date(2026, 7, 8, 14, 41, 9));
  assert.equal(lines[0], "■ The watchdog has not answered since 14:41:09.");
  assert.match(lines[1] ?? "", /Start everything with: backplane up/);
  assert.ok(lines.includes("● Gateway is running"));
});
