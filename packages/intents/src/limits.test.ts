import assert from "node:assert/strict";
import { test } from "node:test";
import { INTENT_LIMITS } from "@backplane/contract/intents";
import type { Problem } from "@backplane/kit/problems";
import { createAdmission } from "./limits.ts";

const refusal = { code: "too-many-requests", status: 429 } satisfies Partial<Problem>;

test("an address that makes too many is refused; other addresses and loopback are not", async () => {
  const admit = createAdmission({ now: () => 0, isFull: () => false, onFault: (error) => assert.fail(String(error)) });
  for (let made = 0; made < INTENT_LIMITS.createsPerMinute; made += 1) await admit("192.0.2.1");
  await assert.rejects(admit("192.0.2.1"), refusal);
  await assert.rejects(admit("::ffff:192.0.2.1"), refusal);
  await admit("192.0.2.2");
  for (let made = 0; made <= INTENT_LIMITS.createsPerMinute; made += 1) await admit("127.0.0.1");
});

test("at the limit for all callers together, nobody can make another intent", async () => {
  const admit = createAdmission({ now: () => 0, isFull: () => true, onFault: (error) => assert.fail(String(error)) });
  await assert.rejects(admit("127.0.0.1"), { ...refusal, headers: { "retry-after": "60" } });
});
