import assert from "node:assert/strict";
import perfHooks from "node:perf_hooks";
import { test } from "node:test";
import { createMetrics, createRequestDurations } from "./metrics.ts";

test("the delay of the event loop is looked at seldom enough that an idle process rests, once per process", (t) => {
  const { mock } = t.mock.method(perfHooks, "monitorEventLoopDelay");
  createMetrics("idle");
  createMetrics("idle");
  assert.deepEqual(
    mock.calls.map(({ arguments: [options] }) => options?.resolution),
    [50],
  );
});

test("requests are counted by method, route and status, in cumulative buckets", () => {
  const durations = createRequestDurations("platform");
  const labels = { method: "GET", route: "/note", status: 200 };
  for (const seconds of [0.001, 0.004, 0.3, 60]) durations.observe(labels, seconds);
  durations.observe({ ...labels, status: 404 }, 0.02);
  const lines = durations.render().split("\n");
  const of = (name: string, more = "") =>
    lines
      .find((line) =>
        line.startsWith(
          `backplane_http_request_duration_seconds_${name}{${more}method="GET",route="/note",status="200"`,
        ),
      )
      ?.split(" ")
      .at(-1);
  assert.equal(of("count"), "4");
  assert.equal(of("sum"), "60.305");
  const counts = ["0.001", "0.005", "0.25", "0.5", "10", "+Inf"].map((le) => of("bucket", `le="${le}",`));
  assert.deepEqual(counts, ["1", "2", "2", "3", "3", "4"]);
  assert.ok(lines.some((line) => line.includes('status="404",process="platform"} 1')));
});

test("a label cannot end its own quotes", () => {
  const durations = createRequestDurations('a"b\\c\nd');
  durations.observe({ method: "GET", route: "/", status: 200 }, 1);
  assert.match(durations.render(), /process="a\\"b\\\\c\\nd"/);
});
