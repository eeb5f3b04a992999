import { DEVICES_LIMITS, type Device, type DeviceLine } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import { createListeners } from "@backplane/kit/concurrency";
import type { KeepingModel } from "../model/model.ts";
import type { ControlEvent, DeviceChange } from "./channels.ts";

const { keptMs, maxDevices } = DEVICES_LIMITS;
const MAX_CHANGES_PER_DEVICE = 200;
const MAX_CONTROL_EVENTS = 2_000;

/** What happened besides samples in the last 10 minutes, so that a recording can begin before it was asked for. */
export type Memory = {
  /** The devices as they were at this time, then what changed, oldest first. */
  changes(sinceMs: number): DeviceChange[];
  lines(sinceMs: number): DeviceLine[];
  controls(sinceMs: number): ControlEvent[];
  addControl(event: ControlEvent): void;
  onChange(listener: (change: DeviceChange) => void): () => void;
  onControl(listener: (event: ControlEvent) => void): () => void;
  close(): void;
};

/** Without what changes all the time and says nothing. */
const wordsOf = ({ lastSeenAt: _, lease, ...device }: Device): string =>
  JSON.stringify([device, lease?.holder, lease?.since]);

export function createMemory(
  model: Pick<KeepingModel, "devices" | "lines" | "on">,
  { now, onFault }: { now: Clock; onFault: (error: unknown) => void },
): Memory {
  const byDevice = new Map<string, { words: string; changes: DeviceChange[] }>();
  let controls: ControlEvent[] = [];
  const changed = createListeners<DeviceChange>(onFault);
  const controlled = createListeners<ControlEvent>(onFault);

  function add(id: string, device: Device | null): void {
    const words = device ? wordsOf(device) : "";
    const known = byDevice.get(id) ?? { words: "?", changes: [] };
    byDevice.set(id, known);
    if (known.words === words) return;
    known.words = words;
    const change = { tMs: now(), id, device };
    known.changes.push(change);
    const { changes } = known;
    // The last one before the time that is kept says what the device was at its beginning.
    while ((changes[1]?.tMs ?? Number.POSITIVE_INFINITY) <= now() - keptMs || changes.length > MAX_CHANGES_PER_DEVICE)
      changes.shift();
    if (byDevice.size > 2 * maxDevices) forgetRemoved();
    changed.emit(change);
  }

  function forgetRemoved(): void {
    for (const [id, { changes }] of byDevice) if (changes.at(-1)?.device === null) byDevice.delete(id);
  }

  const stops = [model.on("device", (device) => add(device.id, device)), model.on("removed", (id) => add(id, null))];
  for (const device of model.devices()) add(device.id, device);

  return {
    changes(sinceMs) {
      const all = [...byDevice.values()].flatMap(({ changes }) => {
        const first = Math.max(
          0,
          changes.findLastIndex(({ tMs }) => tMs <= sinceMs),
        );
        return changes.slice(first).map((change) => ({ ...change, tMs: Math.max(change.tMs, sinceMs) }));
      });
      return all.sort((a, b) => a.tMs - b.tMs);
    },
    lines: (sinceMs) => model.lines().filter(({ tMs }) => tMs >= sinceMs),
    controls: (sinceMs) => controls.filter(({ tMs }) => tMs >= sinceMs),
    addControl(event) {
      controls.push(event);
      if (controls.length > 2 * MAX_CONTROL_EVENTS) controls = controls.slice(-MAX_CONTROL_EVENTS);
      controlled.emit(event);
    },
    onChange: changed.add,
    onControl: controlled.add,
    close() {
      for (const stop of stops) stop();
    },
  };
}

/** When the first thing happened since then that is still in memory. */
export function earliestMs(
  model: Pick<KeepingModel, "devices" | "ring">,
  memory: Pick<Memory, "lines" | "controls">,
  sinceMs: number,
  nowMs: number,
): number {
  const rings = model.devices().flatMap(({ id, capabilities }) => capabilities.map((one) => model.ring(id, one.id)));
  const times = [
    ...rings.map((ring) => ring?.sample(ring.from(sinceMs))?.tMs),
    ...[memory.lines(sinceMs)[0]?.tMs, memory.controls(sinceMs)[0]?.tMs],
  ];
  return times.reduce<number>((first, tMs) => Math.min(first, tMs ?? nowMs), nowMs);
}
