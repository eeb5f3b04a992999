import assert from "node:assert/strict";
import { test } from "node:test";
import { SIGN_IN_LIMITS } from "./limits.ts";
import { keepPolling } from "./poll.ts";

/** Polls with a clock of the test's own: each nap is over at once, until there were `most`. */
async function pollThrough(answers: (() => Response)[], isNeeded: (nap: number) => boolean, most = answers.length) {
  const stop = new AbortController();
  const naps: number[] = [];
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
    naps: {
      ring() {},
      async nap(ms) {
        naps.push(ms);
        if (naps.length > most) stop.abort();
        return false;
      },
    },
    isNeeded: () => isNeeded(naps.length),
    onContact() {},
  });
  return { outcome: await result.catch((error) => error.code), naps: naps.slice(0, most), asked };
}

const busy =
  (status: number, headers = {}) =>
  () =>
    Response.json({}, { status, headers });
const pending = () => Response.json({ state: "pending" });

test("while a stream is live nobody polls", async () => {
  assert.equal((await pollThrough([], () => false, 100)).asked, 0);
  assert.equal((await pollThrough([], (nap) => nap > 60, 100)).asked, 40);
});

test("Polling is every 2,000 ms, however long it takes", async () => {
  const { naps, asked } = await pollThrough([], () => true, 450);
  assert.equal(asked, 450);
  assert.deepEqual(new Set(naps), new Set([2_000]));
});

test("429 is waited for as long as it says, up to a minute, and never held against the server", async () => {
  const { naps } = await pollThrough(
    [busy(429, { "retry-after": "7" }), busy(429, { "retry-after": "86400" }), busy(429), pending, pending],
    () => true,
  );
  assert.deepEqual(naps, [2_000, 7_000, 60_000, 2_000, 2_000]);
  const flood = Array.from({ length: 50 }, () => busy(429));
  assert.equal((await pollThrough(flood, () => true)).outcome, undefined);
});

test("5xx is asked again after 4, 8 and then 10 s, and the twenty-first in a row is a failure", async () => {
  const { naps, outcome, asked } = await pollThrough(
    Array.from({ length: 30 }, () => busy(503)),
    () => true,
  );
  assert.deepEqual(naps.slice(0, 5), [2_000, 4_000, 8_000, 10_000, 10_000]);
  assert.deepEqual([outcome, asked], ["temporary", 21]);
  const restarts = Array.from({ length: 5 }, () => [...Array.from({ length: 20 }, () => busy(502)), pending]).flat();
  assert.equal((await pollThrough(restarts, () => true)).outcome, undefined);
});
