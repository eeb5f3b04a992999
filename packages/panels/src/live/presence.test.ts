import assert from "node:assert/strict";
import { test } from "node:test";
import { createInProcessEntries, type ShortLivedEntries } from "./entries.ts";
import { presenceLaws } from "./presence.suite.ts";
import { createPresence } from "./presence.ts";

presenceLaws("in-process", async () => {
  let nowMs = 0;
  const stores = new Map<number, ShortLivedEntries>();
  return {
    presence({ lifeMs, max }) {
      const entries = stores.get(max) ?? createInProcessEntries(() => nowMs, max);
      stores.set(max, entries);
      return createPresence(entries, { presenceLifeMs: lifeMs, movingMs: lifeMs });
    },
    advance(ms) {
      nowMs += ms;
    },
    until: async (what, condition) => assert.ok(await condition(), what),
    [Symbol.asyncDispose]: async () => {},
  };
});

test("an entry ends exactly when its time to live is over", async () => {
  let nowMs = 0;
  const entries = createInProcessEntries(() => nowMs, 5);
  await entries.put("key", [{ id: "a", value: "1" }], 1_000);
  nowMs = 999;
  assert.equal((await entries.list("key")).length, 1);
  nowMs = 1_000;
  assert.deepEqual(await entries.list("key"), []);
});
