import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Bus } from "@backplane/kit/bus";
import { createSharedRegistrations } from "./shared-registrations.ts";

/** Two gateways on a bus. Within one process, both may use the same bus object. */
export async function openShared(buses: readonly [Bus, Bus], closeBuses: () => Promise<void>) {
  let nowMs = Date.now();
  const skewMs = [0, 0];
  const faults: unknown[] = [];
  const instances = await Promise.all(
    buses.map((bus, i) =>
      createSharedRegistrations({
        bus,
        instance: randomUUID(),
        now: () => nowMs + (skewMs[i] ?? 0),
        limits: { ackWaitMs: 3_000 },
        onFault: (error) => faults.push(error),
      }),
    ),
  );
  return {
    instances,
    /** The clock of the second is ahead. */
    skew(ms: number) {
      skewMs[1] = ms;
    },
    advance(ms: number) {
      nowMs += ms;
    },
    async [Symbol.asyncDispose]() {
      for (const instance of instances) instance.close();
      await closeBuses();
      assert.deepEqual(faults, []);
    },
  };
}
