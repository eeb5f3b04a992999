import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Bus } from "@backplane/kit/bus";
import { createSharedRegistrations } from "./shared-registrations.ts";

/** Two gateways on two ends of a bus. `buses` may be one and the same, within a process. */
export async function openShared(buses: readonly [Bus, Bus], closeBuses: () => Promise<void>) {
  let nowMs = Date.now();
  const faults: unknown[] = [];
  const instances = await Promise.all(
    buses.map((bus) =>
      createSharedRegistrations({
        bus,
        instance: randomUUID(),
        now: () => nowMs,
        limits: { ackWaitMs: 30 },
        onFault: (error) => faults.push(error),
      }),
    ),
  );
  return {
    instances,
    advance(ms: number) {
      nowMs += ms;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(instances.map((instance) => instance.close()));
      await closeBuses();
      assert.deepEqual(faults, []);
    },
  };
}
