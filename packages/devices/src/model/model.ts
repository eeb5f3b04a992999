import { DEVICES_LIMITS, type Device, type DeviceLine, type Sample } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import { createListeners } from "@backplane/kit/concurrency";
import type { Model, ModelEvents } from "../services.ts";
import { createChannels } from "./channels.ts";
import { isPlainJson } from "./description.ts";
import { createEntries, deviceOf, type Entry } from "./entries.ts";
import { createKeptMemory, type KeptMemory } from "./kept-memory.ts";
import type { Ring } from "./ring.ts";
import { cleanText } from "./text.ts";
import { checkValues } from "./values.ts";

const { maxIdLength, maxTextLength, clockJumpMs } = DEVICES_LIMITS;
const MAX_LINES = 1_000;
const MAX_LINE_FIELDS_BYTES = 4_096;
const ALERTS = { refused: "backplane-refused", clock: "backplane-clock" } as const;

export type ModelOptions = {
  now: Clock;
  onFault: (error: unknown) => void;
  /** A device has sent far too much for too long. */
  onFlood?: (device: string) => void;
  memory?: KeptMemory;
};

/** What the hub needs besides: the samples of a channel by number, and the last lines. */
export type KeepingModel = Model & {
  ring(device: string, capability: string): Ring | undefined;
  lines(): readonly DeviceLine[];
  /** The connection of a device broke, or came. */
  connection(device: string, isConnected: boolean): void;
  /** Samples that were refused, of all devices. */
  refused(): number;
  keptBytes(): number;
};

/** The devices of one workspace. What devices send is checked here, and never throws. */
export function createModel({ now, onFault, onFlood, memory = createKeptMemory() }: ModelOptions): KeepingModel {
  const lines: DeviceLine[] = [];
  const listeners = {
    device: createListeners<Device>(onFault),
    removed: createListeners<string>(onFault),
    sample: createListeners<Sample>(onFault),
    line: createListeners<DeviceLine>(onFault),
  };
  const allRings = () =>
    Iterator.from(entries.all()).flatMap(({ channels }) => channels.values().map(({ ring }) => ring));
  const channels = createChannels({ now, memory, rings: allRings, onSample: listeners.sample.emit });
  const entries = createEntries({ now, makeChannel: channels.make, onChanged: listeners.device.emit });
  const { setAlert } = entries;

  function refuse(device: string, why: string): void {
    const entry = entries.get(device);
    if (!entry?.refusals.add(now())) return;
    const text = cleanText(why, maxTextLength) ?? "";
    setAlert(entry, ALERTS.refused, `Much of what it sends is refused. The last: ${text}`);
  }

  function noticeClock(entry: Entry, nowMs: number, deviceTMs: number): void {
    const offsetMs = deviceTMs - nowMs;
    const before = entry.clockOffsetMs;
    entry.clockOffsetMs = offsetMs;
    if (before === undefined || Math.abs(offsetMs - before) <= clockJumpMs) return;
    const jumpS = Math.round((offsetMs - before) / 100) / 10;
    setAlert(entry, ALERTS.clock, `The device's clock jumped by ${jumpS} s. Values are ordered by Backplane's clock.`);
  }

  function sample(device: string, capability: string, given: JsonObject, deviceTMs?: number): void {
    const entry = entries.get(device);
    const channel = entry?.channels.get(capability);
    if (!entry) return;
    if (!channel) {
      refuse(device, `the capability ${JSON.stringify(String(capability).slice(0, maxIdLength))} is not declared`);
      return;
    }
    const { values, fault } = checkValues(channel.capability, given);
    if (fault !== undefined) refuse(device, fault);
    if (Object.keys(values).length === 0) return;
    const nowMs = now();
    entry.lastSeenMs = nowMs;
    if (entry.refusals.isOver(nowMs)) setAlert(entry, ALERTS.refused, null);
    const own = Number.isFinite(deviceTMs) ? deviceTMs : undefined;
    if (own !== undefined) noticeClock(entry, nowMs, own);
    if (channels.take(channel, nowMs, values, own)) onFlood?.(device);
  }

  const ringOf = (device: string, capability: string) => entries.get(device)?.channels.get(capability)?.ring;

  return {
    ...{ sample, refuse, lines: () => lines, ring: ringOf, keptBytes: channels.bytes },
    ...{ declare: entries.declare, state: entries.setState },
    ...{ connection: entries.connection, setControl: entries.setControl },
    recall(device, capability, given) {
      const channel = entries.get(device)?.channels.get(capability);
      if (channel) channels.recall(device, channel, checkValues(channel.capability, given).values);
    },
    alert(device, id, text) {
      const entry = entries.get(device);
      const clean = cleanText(id, maxIdLength);
      if (entry && clean) setAlert(entry, clean, text);
    },
    line(device, level, source, text, fields) {
      if (!entries.get(device)) return;
      const words = (value: unknown, max: number) => cleanText(value, max) ?? "";
      const line: DeviceLine = {
        ...{ tMs: now(), device, level: words(level, 16), source: words(source, maxIdLength) },
        text: words(text, maxTextLength),
        ...(fields && isPlainJson(fields, MAX_LINE_FIELDS_BYTES) ? { fields } : {}),
      };
      if (lines.length >= MAX_LINES) lines.shift();
      lines.push(line);
      listeners.line.emit(line);
    },
    remove(device) {
      if (entries.remove(device)) listeners.removed.emit(device);
    },
    devices: () => Array.from(entries.all(), deviceOf),
    device(id) {
      const entry = entries.get(id);
      return entry && deviceOf(entry);
    },
    last: (device, capability) => samplesOf({ device, capability }, ringOf(device, capability), -1)[0],
    kept(device, capability, sinceMs) {
      const ring = ringOf(device, capability);
      return samplesOf({ device, capability }, ring, ring?.from(sinceMs) ?? 0);
    },
    on<Name extends keyof ModelEvents>(event: Name, listener: ModelEvents[Name]) {
      return listeners[event].add(listener as never);
    },
    refused: () => Iterator.from(entries.all()).reduce((sum, { refusals }) => sum + refusals.total, 0),
    close() {
      channels.close();
      entries.clear();
    },
  };
}

/** From this number on; -1: the last one. */
function samplesOf(of: Pick<Sample, "device" | "capability">, ring: Ring | undefined, from: number): Sample[] {
  const samples: Sample[] = [];
  for (let number = from < 0 ? (ring?.next ?? 0) - 1 : from; number < (ring?.next ?? 0); number += 1) {
    const kept = ring?.sample(number);
    if (!kept) continue;
    const { deviceTMs, ...rest } = kept;
    samples.push({ ...of, ...rest, ...(deviceTMs === undefined ? {} : { deviceTMs }) });
  }
  return samples;
}
