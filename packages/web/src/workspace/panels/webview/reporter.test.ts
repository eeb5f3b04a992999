import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { REPORT_PAUSE_MS } from "./limits.ts";
import { createReporter, type Shown } from "./reporter.ts";

test("many changes are reported as one", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sent: Shown[] = [];
  const reporter = createReporter((shown) => sent.push(shown));
  for (let at = 0; at < 1_000; at += 1) reporter.report({ url: `https://a.example/#${at}` });
  reporter.report({ title: "Map" });
  assert.deepEqual(sent, []);
  t.mock.timers.tick(REPORT_PAUSE_MS);
  assert.deepEqual(sent, [{ url: "https://a.example/#999", title: "Map" }]);
  t.mock.timers.tick(10 * REPORT_PAUSE_MS);
  assert.equal(sent.length, 1);
});

test("unsent changes are dropped when something else is loaded", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const send = mock.fn();
  const reporter = createReporter(send);
  reporter.report({ url: "https://a.example/" });
  reporter.forget();
  t.mock.timers.tick(10 * REPORT_PAUSE_MS);
  assert.equal(send.mock.callCount(), 0);
});
