import type { Capability, Field } from "@backplane/contract/devices";
import type { Declared } from "../services.ts";

export const number: Field = { datatype: "number" };

export const capability = (id: string, fields: Record<string, Field>): Capability => ({
  ...{ id, kind: "test", fields, commands: {} },
});

/** A device that measures a temperature, and can be moved. */
export const thermometer = (id = "oven"): Declared => ({
  id,
  name: "Oven",
  capabilities: [
    {
      ...capability("heat", {
        temperature_c: { datatype: "number", unit: "°C" },
        is_on: { datatype: "boolean" },
        count: { datatype: "integer" },
        note: { datatype: "text" },
        zones: { datatype: "list" },
        extra: { datatype: "object" },
      }),
      commands: { turn: { params: {}, effect: "moves" } },
    },
  ],
});

/** A clock that the test sets. */
export function createClock(startMs = Date.UTC(2026, 6, 28)) {
  const clock = { nowMs: startMs, now: () => clock.nowMs };
  return clock;
}
