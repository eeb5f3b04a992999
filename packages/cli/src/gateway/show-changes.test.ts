import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { showChanges } from "./show-changes.ts";
import { RUNNING, STOPPED } from "./snapshot.suite.ts";

function follow(json: boolean) {
  const stream = new PassThrough();
  const view = showChanges(stream, json);
  return { view, lines: () => (stream.read() as Buffer | null)?.toString().trimEnd().split("\n") ?? [] };
}
const stopped = {
  ...STOPPED,
  events: [{ at: "2026-08-08T12:00:01.000Z", says: "Gateway stopped" }, ...RUNNING.events],
};

test("it prints the state first, then one line per change", () => {
  const { view, lines } = follow(false);
  view.seen(RUNNING);
  assert.match(
    lines().join(),
    /^\d\d:\d\d:\d\d {2}Gateway is running: Process 48213, up 6 min, 2 applications waiting$/,
  );
  view.seen(RUNNING);
  assert.deepEqual(lines(), []);
  view.seen(stopped);
  assert.match(lines().join(), /^\d\d:\d\d:\d\d {2}Gateway stopped$/);
});

test("it prints a line when the watchdog goes away, and one when it comes back", () => {
  const { view, lines } = follow(false);
  view.seen(RUNNING);
  lines();
  view.gone(new Date());
  view.gone(new Date());
  assert.match(
    lines().join(),
    /^\d\d:\d\d:\d\d {2}The watchdog does not answer\. Start everything with: backplane up$/,
  );
  view.seen(RUNNING);
  assert.match(lines().join(), /^\d\d:\d\d:\d\d {2}The watchdog answers again$/);
});

test("a JSON line has the time, the event and the resulting state", () => {
  const { view, lines } = follow(true);
  view.seen(RUNNING);
  assert.equal(JSON.parse(lines()[0] ?? "").state, "running");
  view.seen(stopped);
  assert.deepEqual(
    lines().map((line) => JSON.parse(line)),
    [{ at: "2026-08-08T12:00:01.000Z", says: "Gateway stopped", state: "stopped", pid: null }],
  );
});
