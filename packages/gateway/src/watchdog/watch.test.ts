import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { CHECK_INTERVAL_MS, CHECK_TIMEOUT_MS, FAILURES_BEFORE_RESTART, MAX_CHECKS } from "@backplane/contract/gateway";
import type { ChildState } from "@backplane/kit/supervise";
import { watchGateway } from "./watch.ts";

type Answer = number | "hang" | "slow" | string;

/** A real server in place of the gateway, whose answers the test chooses. */
async function watchServer(t: TestContext) {
  let nowMs = 61_000;
  const server = createServer((_request, response) => {
    if (answer === "hang") return;
    if (answer === "slow") nowMs += 1_500;
    if (typeof answer === "number") response.writeHead(answer).end();
    else response.end(answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  let answer: Answer = 200;
  let state: ChildState = "running";
  let pid = 7;
  const seen = { restarts: 0, failures: [] as string[], reasons: [] as string[], answersAfterMs: [] as number[] };
  const watch = watchGateway({
    gateway: {
      state: () => ({ state, pid, startedAtMs: 1_000, restarts: seen.restarts }),
      replace: async () => {
        seen.restarts += 1;
      },
    },
    healthUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`,
    fetch,
    now: () => nowMs,
    onFailure: (error, count) => seen.failures.push(`${count}: ${error}`),
    onAnswer: (afterMs) => seen.answersAfterMs.push(afterMs),
    onRestart: (reason) => seen.reasons.push(reason),
  });
  return {
    watch,
    seen,
    server,
    passes(ms: number) {
      nowMs += ms;
    },
    answers(next: Answer) {
      answer = next;
    },
    becomes(next: ChildState, nextPid = pid) {
      state = next;
      pid = nextPid;
    },
    async check(...answers: Answer[]) {
      for (const next of answers) {
        answer = next;
        await watch.check();
      }
    },
  };
}

test("the gateway is checked every 10 seconds and restarted after 3 consecutive failures", async (t) => {
  assert.deepEqual([CHECK_INTERVAL_MS, FAILURES_BEFORE_RESTART], [10_000, 3]);
  const { watch, seen, check } = await watchServer(t);
  await check(500, 500);
  assert.deepEqual([seen.restarts, watch.status().consecutiveFailures], [0, 2]);
  await check(500);
  assert.deepEqual([seen.restarts, watch.status().consecutiveFailures], [1, 0]);
  assert.deepEqual(seen.failures, ["1: answered 500", "2: answered 500", "3: answered 500"]);
  assert.deepEqual(seen.reasons, ["failed 3 checks in a row"]);
});

test("one success in between resets the count", async (t) => {
  const { seen, check } = await watchServer(t);
  await check(500, 500, 200, 500, 500);
  assert.equal(seen.restarts, 0);
});

test("probe timeout 2 s: a gateway that hangs fails its check, and the status says so", async (t) => {
  assert.equal(CHECK_TIMEOUT_MS, 2_000);
  const { watch, check } = await watchServer(t);
  await check("hang");
  assert.deepEqual(watch.status(), {
    autoRestart: true,
    gateway: { state: "running", pid: 7, uptime: 60 },
    lastCheck: { at: "1970-01-01T00:01:01.000Z", ok: false, latencyMs: 0, error: "no answer within 2 s" },
    consecutiveFailures: 1,
    restarts: 0,
  });
});

test("a gateway that refuses connections fails its check", async (t) => {
  const { watch, server, check } = await watchServer(t);
  server.close();
  await check(200);
  assert.equal(watch.status().lastCheck?.error, "connection refused");
});

test("while the gateway is down or starting it is not checked, and no failure is counted", async (t) => {
  const { watch, becomes, check } = await watchServer(t);
  for (const state of ["starting", "stopped", "failed"] as const) {
    becomes(state);
    await check(500);
  }
  assert.deepEqual([watch.status().lastCheck, watch.status().consecutiveFailures], [null, 0]);
  assert.deepEqual(
    watch.checks().map(({ outcome }) => outcome),
    ["none", "none", "none"],
  );
});

test("with automatic restart off, checks continue and failures are counted, and nothing is restarted until it is on again", async (t) => {
  const { watch, seen, check } = await watchServer(t);
  watch.setAutoRestart(false);
  await check(500, 500, 500, 500);
  assert.deepEqual([seen.restarts, watch.status().consecutiveFailures, watch.status().autoRestart], [0, 4, false]);
  watch.setAutoRestart(true);
  assert.equal(seen.restarts, 0);
  await check(500);
  assert.equal(seen.restarts, 1);
});

test("a new gateway starts without the failures of the previous one", async (t) => {
  const { watch, seen, check } = await watchServer(t);
  await check(500, 500);
  watch.follow({ type: "exited", pid: 7, reason: "exited with code 1" });
  await check(500, 500);
  assert.equal(seen.restarts, 0);
});

test("an answer about a gateway that was stopped or replaced in the meantime is ignored", async (t) => {
  const { watch, answers, becomes } = await watchServer(t);
  for (const change of [() => becomes("running", 8), () => becomes("stopped")]) {
    answers(500);
    const checked = watch.check();
    change();
    await checked;
  }
  assert.deepEqual([watch.status().lastCheck, watch.checks()], [null, []]);
});

test("checks do not overlap", async (t) => {
  const { watch, answers } = await watchServer(t);
  answers("hang");
  await Promise.all([watch.check(), watch.check(), watch.check()]);
  assert.equal(watch.status().consecutiveFailures, 1);
});

test("the first answer after failures reports how long it took", async (t) => {
  const { seen, check, passes } = await watchServer(t);
  await check(500);
  passes(10_000);
  await check(500);
  passes(20_000);
  await check(200, 200);
  assert.deepEqual(seen.answersAfterMs, [30_000]);
});

test("an answer that takes more than a second is slow, and the last sixty checks are kept", async (t) => {
  const { watch, check } = await watchServer(t);
  await check("slow", 200, 500);
  assert.deepEqual(
    watch.checks().map(({ outcome }) => outcome),
    ["slow", "ok", "failed"],
  );
  for (let number = 0; number < MAX_CHECKS; number += 1) await check(200);
  assert.deepEqual(new Set(watch.checks().map(({ outcome }) => outcome)), new Set(["ok"]));
  assert.equal(watch.checks().length, 60);
});

test("the gateway reports how many applications wait; a body without that number is not a failure", async (t) => {
  const { watch, check } = await watchServer(t);
  await check('{"status":"ok","pending":2}');
  assert.equal(watch.pending(), 2);
  for (const body of ["", "nonsense", '{"pending":"2"}', "null"]) {
    await check(body);
    assert.deepEqual([watch.pending(), watch.status().lastCheck?.ok], [null, true], body);
  }
});
