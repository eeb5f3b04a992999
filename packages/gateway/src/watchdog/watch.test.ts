import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { ChildState } from "@backplane/kit/process";
import { FAILURES_BEFORE_RESTART, POLL_INTERVAL_MS } from "./contract.ts";
import { watchGateway } from "./watch.ts";

/** A real server that answers as it is told, in the place of the gateway. */
async function watchServer(t: TestContext) {
  const server = createServer((_request, response) => {
    if (answer !== "hang") response.writeHead(answer).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  let answer: number | "hang" = 200;
  let state: ChildState = "running";
  const seen = { restarts: 0, failures: [] as string[], reasons: [] as string[] };
  const watch = watchGateway({
    gateway: {
      state: () => ({ state, pid: 7, startedAtMs: 1_000, restarts: seen.restarts }),
      restart: async () => {
        seen.restarts += 1;
      },
    },
    healthUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`,
    fetch,
    now: () => 61_000,
    onFailure: (error, count) => seen.failures.push(`${count}: ${error}`),
    onRestart: (reason) => seen.reasons.push(reason),
  });
  return {
    watch,
    seen,
    answers(next: number | "hang") {
      answer = next;
    },
    becomes(next: ChildState) {
      state = next;
    },
  };
}

test("the gateway is checked every 10 seconds and restarted after 3 consecutive failures", async (t) => {
  assert.deepEqual([POLL_INTERVAL_MS, FAILURES_BEFORE_RESTART], [10_000, 3]);
  const { watch, seen, answers } = await watchServer(t);
  answers(500);
  await watch.check();
  await watch.check();
  assert.deepEqual([seen.restarts, watch.status().consecutiveFailures], [0, 2]);
  await watch.check();
  assert.deepEqual([seen.restarts, watch.status().consecutiveFailures], [1, 0]);
  assert.deepEqual(seen.failures, ["1: answered 500", "2: answered 500", "3: answered 500"]);
  assert.match(seen.reasons[0] ?? "", /3 failed checks in a row/);
});

test("one success in between starts the count anew", async (t) => {
  const { watch, seen, answers } = await watchServer(t);
  for (const answer of [500, 500, 200, 500, 500]) {
    answers(answer);
    await watch.check();
  }
  assert.equal(seen.restarts, 0);
});

test("a gateway that hangs fails its check, and the status says so", async (t) => {
  const { watch, answers } = await watchServer(t);
  answers("hang");
  await watch.check();
  assert.deepEqual(watch.status(), {
    autoRestart: true,
    gateway: { state: "running", pid: 7, uptime: 60 },
    lastCheck: { at: "1970-01-01T00:01:01.000Z", ok: false, latencyMs: 0, error: "no answer within 2 s" },
    consecutiveFailures: 1,
    restarts: 0,
  });
});

test("while the gateway is down or coming up it is not asked", async (t) => {
  const { watch, becomes } = await watchServer(t);
  becomes("starting");
  await watch.check();
  assert.equal(watch.status().lastCheck, null);
});
