import assert from "node:assert/strict";
import { test } from "node:test";
import { SIGN_IN_LIMITS } from "./limits.ts";
import { keepPolling } from "./poll.ts";

/** Polls without real sleeps, and stops after `most` of them. */
async function pollThrough(answers: (() => Response)[], isNeeded: (pauses: number) => boolean, most = answers.length) {
  const stop = new AbortController();
  const pausesMs: number[] = [];
  let asked = 0;
  const result = keepPolling({
    asking: {
      root: "http://localhost",
      url: "http://localhost/status",
      verifier: "v",
      secrets: [],
      limits: SIGN_IN_LIMITS,
      now: () => 0,
      signal: stop.signal,
      fetch: async () => answers[asked++]?.() ?? Response.json({ state: "pending" }),
    },
    sleeper: {
      wake() {},
      async sleep(ms) {
        pausesMs.push(ms);
        if (pausesMs.length > most) stop.abort();
        return false;
      },
    },
    isNeeded: () => isNeeded(pausesMs.length),
    onContact() {},
  });
  return { outcome: await result.catch((error) => error.code), pausesMs: pausesMs.slice(0, most), asked };
}

const busy =
  (status: number, headers = {}) =>
  () =>
    Response.json({}, { status, headers });
const pending = () => Response.json({ state: "pending" });

test("it does not poll while a stream is live", async () => {
  assert.equal((await pollThrough([], () => false, 100)).asked, 0);
  assert.equal((await pollThrough([], (pauses) => pauses > 60, 100)).asked, 40);
});

test("it polls every 2,000 ms, however long it takes", async () => {
  const { pausesMs, asked } = await pollThrough([], () => true, 450);
  assert.equal(asked, 450);
  assert.deepEqual(new Set(pausesMs), new Set([2_000]));
});

test("after a 429 it waits as long as the server asks, up to a minute, and never counts it as a failure", async () => {
  const { pausesMs } = await pollThrough(
    [busy(429, { "retry-after": "7" }), busy(429, { "retry-after": "86400" }), busy(429), pending, pending],
    () => true,
  );
  assert.deepEqual(pausesMs, [2_000, 7_000, 60_000, 2_000, 2_000]);
  const flood = Array.from({ length: 50 }, () => busy(429));
  assert.equal((await pollThrough(flood, () => true)).outcome, undefined);
});

test("after a 5xx it tries again after 4, 8 and then 10 s; the twenty-first in a row is a failure", async () => {
  const { pausesMs, outcome, asked } = await pollThrough(
    Array.from({ length: 30 }, () => busy(503)),
    () => true,
  );
  assert.deepEqual(pausesMs.slice(0, 5), [2_000, 4_000, 8_000, 10_000, 10_000]);
  assert.deepEqual([outcome, asked], ["temporary", 21]);
  const restarts = Array.from({ length: 5 }, () => [...Array.from({ length: 20 }, () => busy(502)), pending]).flat();
  assert.equal((await pollThrough(restarts, () => true)).outcome, undefined);
});
