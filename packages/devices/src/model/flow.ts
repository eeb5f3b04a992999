import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { createEnvelope, type Envelope } from "./envelope.ts";

const SECOND_MS = 1_000;

type Append = (tMs: number, values: JsonObject, deviceTMs?: number) => void;

/** How fast samples of a channel come in. */
export type Flow = {
  /** Passes a sample on, or keeps it for an envelope when there are too many. True: the channel floods. */
  take(tMs: number, values: JsonObject, deviceTMs?: number): boolean;
  /** Passes on what is left of windows that have ended. False: nothing is kept any more. */
  flush(nowMs: number): boolean;
};

export function createFlow(
  fields: readonly string[],
  append: Append,
  limits: { maxSamplesPerSecond: number; floodMs: number } = DEVICES_LIMITS,
): Flow {
  let secondMs = 0;
  let count = 0;
  /** Since when every second had too many. */
  let floodsSinceMs: number | undefined;
  let envelope: Envelope | undefined;

  function pass(untilMs?: number): void {
    const rows = envelope?.take(untilMs);
    for (const [row, tMs] of (rows?.tMs ?? []).entries()) {
      const values: JsonObject = {};
      for (const [place, name] of fields.entries()) {
        const value = rows?.values[place]?.[row] ?? null;
        if (value !== null) values[name] = value;
      }
      append(tMs, values);
    }
  }

  function countOne(tMs: number): void {
    const second = Math.floor(tMs / SECOND_MS) * SECOND_MS;
    if (second !== secondMs) {
      if (count <= limits.maxSamplesPerSecond) floodsSinceMs = undefined;
      else floodsSinceMs ??= secondMs;
      secondMs = second;
      count = 0;
    }
    count += 1;
  }

  return {
    take(tMs, values, deviceTMs) {
      countOne(tMs);
      if (count <= limits.maxSamplesPerSecond) {
        pass();
        append(tMs, values, deviceTMs);
        return false;
      }
      envelope ??= createEnvelope(fields.length);
      envelope.add(tMs, (place) => values[fields[place] as string] ?? null);
      pass(tMs);
      const floods = floodsSinceMs !== undefined && tMs - floodsSinceMs >= limits.floodMs;
      if (floods) floodsSinceMs = undefined;
      return floods;
    },
    flush(nowMs) {
      pass(nowMs);
      return envelope?.isEmpty === false;
    },
  };
}
