import { LESSON_LIMITS, type ValueCheck } from "@backplane/contract/panels";
import { createHold } from "@backplane/kit/hold";

/** Values of one field of one device, in the order of time. */
export type MeasuredField = { device: string; samples: readonly { tMs: number; value: unknown }[] };

/** Values of devices since a time. Devices belong to another area: the platform wires them. */
export type Measured = (
  workspaceId: string,
  want: Pick<ValueCheck, "device" | "capability" | "field"> & { fromMs: number; maxDevices: number },
) => Promise<MeasuredField[]>;

export type Seen = { atMs: number; because: string };

/**
 * Whether the values that a device sent met a check, and ended doing so at `sinceMs` or later. `afterMs`: what came before,
 * such as what the step before was done by, does not count.
 */
export function decide(
  { compare, holdMs, field }: ValueCheck,
  measured: readonly MeasuredField[],
  { afterMs, sinceMs }: { afterMs: number; sinceMs: number },
): Seen | undefined {
  for (const { device, samples } of measured) {
    const hold = createHold(compare, holdMs, LESSON_LIMITS.maxGapMs);
    for (const { tMs, value } of samples) {
      if (tMs <= afterMs || !hold.take(tMs, value) || tMs < sinceMs) continue;
      const held = holdMs > 0 ? `, for ${holdMs / 1_000} s` : "";
      return { atMs: tMs, because: `${device}: ${field} was ${wordsOf(value)}${held}` };
    }
  }
  return undefined;
}

const wordsOf = (value: unknown): string =>
  typeof value === "number" ? String(Number(value.toPrecision(4))) : String(value).slice(0, 60);
