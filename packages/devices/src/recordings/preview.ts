import { DEVICES_LIMITS, type RecordingPreview } from "@backplane/contract/devices";

const { previewPoints } = DEVICES_LIMITS;
/** More than are shown, because they are merged in pairs as the recording grows. */
const SLOTS = 2 * previewPoints;
const FIRST_SLOT_MS = 50;

type Slot = { sum: number; n: number };

/** One field of a recording, drawn small. It takes the same memory however long the recording is. */
export type Preview = {
  add(tMs: number, value: number): void;
  points(endMs: number): Pick<RecordingPreview, "low" | "high" | "points">;
};

export function createPreview(startMs: number): Preview {
  let slots: (Slot | undefined)[] = [];
  let slotMs = FIRST_SLOT_MS;

  const merged = (one: Slot | undefined, other: Slot | undefined): Slot | undefined =>
    one && other ? { sum: one.sum + other.sum, n: one.n + other.n } : (one ?? other);

  function halve(): void {
    slots = Array.from({ length: Math.ceil(slots.length / 2) }, (_, i) => merged(slots[2 * i], slots[2 * i + 1]));
    slotMs *= 2;
  }

  return {
    add(tMs, value) {
      if (tMs < startMs || Math.abs(value) > 1e100) return;
      let at = Math.floor((tMs - startMs) / slotMs);
      while (at >= SLOTS) {
        halve();
        at = Math.floor((tMs - startMs) / slotMs);
      }
      const slot = slots[at] ?? { sum: 0, n: 0 };
      slot.sum += value;
      slot.n += 1;
      slots[at] = slot;
    },
    points(endMs) {
      const perPoint = Math.max(1, Math.ceil((endMs - startMs) / slotMs / previewPoints));
      const count = Math.max(1, Math.ceil(slots.length / perPoint));
      const means = Array.from({ length: count }, (_, i) => {
        const point = slots.slice(i * perPoint, (i + 1) * perPoint).reduce(merged, undefined);
        return point ? point.sum / point.n : null;
      });
      const numbers = means.filter((mean) => mean !== null);
      const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
      if (numbers.length === 0) return { low: 0, high: 0, points: [] };
      const scaled = (mean: number) => (high === low ? 50 : Math.round(((mean - low) / (high - low)) * 100));
      return { low, high, points: means.map((mean) => (mean === null ? null : scaled(mean))) };
    },
  };
}
