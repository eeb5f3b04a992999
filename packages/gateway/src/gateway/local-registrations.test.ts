import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { suite, test } from "node:test";
import { ENDED_MEMORY_MS } from "@backplane/contract/gateway";
import { createSingleInstanceRegistrations } from "./local-registrations.ts";
import { connect, registrationLaws, withCode } from "./registrations.suite.ts";

const ACK_WAIT_MS = 3_000;

function openSingle(limits: { maxEndedRemembered?: number } = {}) {
  let nowMs = 1_000_000;
  const registrations = createSingleInstanceRegistrations({
    instance: "one",
    now: () => nowMs,
    limits: { ackWaitMs: ACK_WAIT_MS, ...limits },
  });
  return {
    registrations,
    instances: [registrations],
    advance(ms: number) {
      nowMs += ms;
    },
    async [Symbol.asyncDispose]() {},
  };
}

suite("registrations of a single gateway", () => {
  registrationLaws(async () => openSingle());
});

async function useUp(registrations: ReturnType<typeof openSingle>["registrations"], state: string) {
  await registrations.register(connect(), { state, provider: "p" });
  await registrations.deliver(state, undefined, withCode(state));
}

test("a used state is distinguished from an unknown one for 20 minutes", async () => {
  assert.equal(ENDED_MEMORY_MS, 20 * 60_000);
  const { registrations, advance } = openSingle();
  const state = randomUUID();
  await useUp(registrations, state);
  advance(ENDED_MEMORY_MS);
  assert.deepEqual(await registrations.deliver(state, undefined, withCode(state)), { outcome: "used" });
  advance(2 * ENDED_MEMORY_MS);
  assert.deepEqual(await registrations.deliver(state, undefined, withCode(state)), { outcome: "unknown" });
});

test("however many states are used, only the newest are remembered", async () => {
  const { registrations } = openSingle({ maxEndedRemembered: 10 });
  const states = Array.from({ length: 25 }, () => randomUUID());
  for (const state of states) await useUp(registrations, state);
  const outcomes = await Promise.all(states.map((state) => registrations.deliver(state, undefined, withCode(state))));
  assert.equal(outcomes[0]?.outcome, "unknown");
  assert.ok(outcomes.slice(-10).every(({ outcome }) => outcome === "used"));
});
