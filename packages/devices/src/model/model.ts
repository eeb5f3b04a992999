import {
  type Alert,
  type Capability,
  DEVICE_STATES,
  DEVICES_LIMITS,
  type Device,
  type DeviceLine,
  type DeviceState,
  type Sample,
} from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import { createListeners } from "@backplane/kit/concurrency";
import type { Declared, Model, ModelEvents } from "../services.ts";
import { checkDescription, type Description, isPlainJson } from "./description.ts";
import { createFlow, type Flow } from "./flow.ts";
import { createKeptMemory, type KeptMemory } from "./kept-memory.ts";
import { createRefusals, type Refusals } from "./refusals.ts";
import { createRing, type Ring } from "./ring.ts";
import { cleanText } from "./text.ts";
import { checkValues } from "./values.ts";

const { maxDevices, maxChannels, maxChannelFields, maxAlerts, maxIdLength, maxTextLength, clockJumpMs, envelopeMs } =
  DEVICES_LIMITS;
/** How much is added before the memory is counted again. */
const COUNT_AFTER_BYTES = 262_144;
/** In how many samples the value of a field is looked for, which a broker outside has retained. */
const MAX_LOOKED_BACK = 200;
const MAX_LINES = 1_000;
const MAX_LINE_FIELDS_BYTES = 4_096;
/** Conventions whose devices say themselves when they are ready again. */
const SAYS_READY: ReadonlySet<string> = new Set(["homie"]);
const ALERTS = { refused: "backplane-refused", described: "backplane-described", clock: "backplane-clock" } as const;

type Channel = { capability: Capability; ring: Ring; flow: Flow };
type Entry = {
  description: Description;
  source: string;
  state: DeviceState;
  /** What it was before its connection broke. */
  stateBefore: DeviceState | undefined;
  lastSeenMs: number;
  alerts: Map<string, { text: string; atMs: number }>;
  control: Pick<Device, "lease" | "isArmed" | "isMoving">;
  channels: Map<string, Channel>;
  refusals: Refusals;
  /** How far the device's clock is ahead. */
  clockOffsetMs: number | undefined;
};

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
  const entries = new Map<string, Entry>();
  const lines: DeviceLine[] = [];
  const listeners = {
    device: createListeners<Device>(onFault),
    removed: createListeners<string>(onFault),
    sample: createListeners<Sample>(onFault),
    line: createListeners<DeviceLine>(onFault),
  };
  const held = new Set<Flow>();
  let flushing: NodeJS.Timeout | undefined;
  let grownBytes = 0;

  const changed = (entry: Entry) => listeners.device.emit(deviceOf(entry));

  function setAlert(entry: Entry, id: string, text: string | null): void {
    const clean = text === null ? undefined : cleanText(text, maxTextLength);
    if (clean === undefined ? !entry.alerts.delete(id) : entry.alerts.get(id)?.text === clean) return;
    if (clean !== undefined) {
      if (!entry.alerts.has(id) && entry.alerts.size >= maxAlerts) return;
      entry.alerts.set(id, { text: clean, atMs: now() });
    }
    changed(entry);
  }

  function refuse(device: string, why: string): void {
    const entry = entries.get(device);
    if (!entry?.refusals.add(now())) return;
    const text = cleanText(why, maxTextLength) ?? "";
    setAlert(entry, ALERTS.refused, `Much of what it sends is refused. The last: ${text}`);
  }

  function makeChannel(device: string, capability: Capability): Channel {
    const ring = createRing(capability.fields);
    const append = (tMs: number, values: JsonObject, deviceTMs?: number) => {
      const before = ring.bytes;
      const at = ring.append(tMs, values, deviceTMs);
      noteGrowth(ring.bytes - before);
      const own = deviceTMs === undefined ? {} : { deviceTMs };
      listeners.sample.emit({ device, capability: capability.id, tMs: at, ...own, values });
    };
    return { capability, ring, flow: createFlow(Object.keys(capability.fields), append) };
  }

  /** A capability that stays the same keeps its samples. */
  function channelsOf(device: string, description: Description, before: Entry | undefined, faults: string[]) {
    const others = [...entries.values()].filter((entry) => entry !== before);
    let channelsLeft = maxChannels - sumOf(others, ({ channels }) => channels.size);
    let fieldsLeft = maxChannelFields - sumOf(others, ({ description }) => countFields(description));
    const channels = new Map<string, Channel>();
    for (const capability of description.capabilities.values()) {
      channelsLeft -= 1;
      fieldsLeft -= Object.keys(capability.fields).length;
      if (channelsLeft < 0 || fieldsLeft < 0) {
        const most = `${maxChannels} channels with ${maxChannelFields} fields`;
        faults.push(`A workspace has at most ${most}: ${capability.id} is left out.`);
        description.capabilities.delete(capability.id);
        continue;
      }
      const kept = before?.channels.get(capability.id);
      const isSame = kept && JSON.stringify(kept.capability.fields) === JSON.stringify(capability.fields);
      channels.set(capability.id, isSame ? { ...kept, capability } : makeChannel(device, capability));
    }
    return channels;
  }

  function declare(source: string, declared: Declared): boolean {
    const checked = checkDescription(declared);
    if (!checked) return false;
    const { description, faults } = checked;
    const before = entries.get(description.id);
    if (before && before.source !== source) {
      const text = `Another device, of ${source}, has the same id. Give one of them another id.`;
      setAlert(before, `backplane-same-${cleanText(source, maxIdLength)}`, text);
      return false;
    }
    if (!before && entries.size >= maxDevices) return false;
    const channels = channelsOf(description.id, description, before, faults);
    const entry: Entry = before ?? {
      ...{ description, source, state: "init", stateBefore: undefined, lastSeenMs: now(), alerts: new Map(), channels },
      ...{ control: { isArmed: false, isMoving: false }, refusals: createRefusals(), clockOffsetMs: undefined },
    };
    const isOther = before !== undefined && wordsOf(before.description) !== wordsOf(description);
    // Commands wait until it says again that it is ready.
    if (isOther && entry.state === "ready" && SAYS_READY.has(source)) entry.state = "init";
    const isNews = !before || isOther;
    Object.assign(entry, { description, channels, lastSeenMs: now() });
    entries.set(description.id, entry);
    const alertsBefore = entry.alerts.get(ALERTS.described)?.text;
    setAlert(entry, ALERTS.described, faults.length === 0 ? null : faults.slice(0, 5).join(" "));
    if (isNews && entry.alerts.get(ALERTS.described)?.text === alertsBefore) changed(entry);
    return true;
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
    if (channel.flow.take(nowMs, values, own)) onFlood?.(device);
    held.add(channel.flow);
    flushSoon();
  }

  function recall(device: string, capability: string, given: JsonObject): void {
    const channel = entries.get(device)?.channels.get(capability);
    if (!channel) return;
    const { ring } = channel;
    const known = (field: string): string | undefined => {
      for (let number = ring.next - 1; number >= Math.max(ring.first, ring.next - MAX_LOOKED_BACK); number -= 1) {
        const value = ring.sample(number)?.values[field];
        if (value !== undefined && value !== null) return JSON.stringify(value);
      }
      return undefined;
    };
    const { values } = checkValues(channel.capability, given);
    const news = Object.fromEntries(
      Object.entries(values).filter(([field, value]) => known(field) !== JSON.stringify(value)),
    );
    if (Object.keys(news).length === 0) return;
    const before = ring.bytes;
    const tMs = ring.append(now(), news);
    noteGrowth(ring.bytes - before);
    listeners.sample.emit({ device, capability, tMs, values: news, isRecalled: true });
  }

  function flushSoon(): void {
    flushing ??= setTimeout(() => {
      flushing = undefined;
      for (const flow of held) if (!flow.flush(now())) held.delete(flow);
      if (held.size > 0) flushSoon();
    }, envelopeMs).unref();
  }

  const keptBytes = () =>
    entries
      .values()
      .reduce((sum, { channels }) => sum + channels.values().reduce((all, { ring }) => all + ring.bytes, 0), 0);
  const part = memory.join(() => makeRoom());
  /** Counting costs a look at every channel, so it is done when that much was added. */
  function noteGrowth(bytes: number): void {
    grownBytes += Math.max(0, bytes);
    if (grownBytes < COUNT_AFTER_BYTES) return;
    grownBytes = 0;
    makeRoom();
  }

  function makeRoom(): void {
    let over = keptBytes() - part.maxBytes();
    while (over > 0) {
      const rings = [...entries.values()].flatMap(({ channels }) => Array.from(channels.values(), ({ ring }) => ring));
      const full = rings.filter(({ bytes }) => bytes > 0);
      const old = full.filter(({ oldestTMs }) => oldestTMs !== undefined);
      if (full.length === 0) return;
      // Last values go last, those of silent channels first.
      if (old.length > 0) old.sort((a, b) => (a.oldestTMs ?? 0) - (b.oldestTMs ?? 0));
      else full.sort((a, b) => (a.lastTMs ?? 0) - (b.lastTMs ?? 0));
      for (const ring of old.length > 0 ? old : full) {
        if (over <= 0) return;
        over -= ring.bytes;
        ring.dropOldest();
        over += ring.bytes;
      }
    }
  }

  function setState(device: string, state: DeviceState): void {
    const entry = entries.get(device);
    if (!entry || !DEVICE_STATES.includes(state)) return;
    entry.lastSeenMs = now();
    entry.stateBefore = undefined;
    if (entry.state === state) return;
    entry.state = state;
    changed(entry);
  }

  const ringOf = (device: string, capability: string) => entries.get(device)?.channels.get(capability)?.ring;
  const sampleAt = (device: string, capability: string, number: number): Sample[] => {
    const kept = ringOf(device, capability)?.sample(number);
    if (!kept) return [];
    const { deviceTMs, ...rest } = kept;
    return [{ device, capability, ...rest, ...(deviceTMs === undefined ? {} : { deviceTMs }) }];
  };

  return {
    declare,
    state: setState,
    sample,
    recall,
    refuse,
    alert(device, id, text) {
      const entry = entries.get(device);
      const clean = cleanText(id, maxIdLength);
      if (entry && clean) setAlert(entry, clean, text);
    },
    line(device, level, source, text, fields) {
      if (!entries.has(device)) return;
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
      if (entries.delete(device)) listeners.removed.emit(device);
    },
    connection(device, isConnected) {
      const entry = entries.get(device);
      if (!entry) return;
      if (isConnected) {
        if (entry.stateBefore !== undefined) setState(device, entry.stateBefore);
      } else if (entry.state !== "disconnected" && entry.state !== "lost") {
        const before = entry.state;
        setState(device, "lost");
        entry.stateBefore = before;
      }
    },
    devices: () => Array.from(entries.values(), deviceOf),
    device(id) {
      const entry = entries.get(id);
      return entry && deviceOf(entry);
    },
    last: (device, capability) => sampleAt(device, capability, (ringOf(device, capability)?.next ?? 0) - 1)[0],
    kept(device, capability, sinceMs) {
      const ring = ringOf(device, capability);
      const samples: Sample[] = [];
      for (let number = ring?.from(sinceMs) ?? 0; number < (ring?.next ?? 0); number += 1)
        samples.push(...sampleAt(device, capability, number));
      return samples;
    },
    ring: ringOf,
    lines: () => lines,
    on<Name extends keyof ModelEvents>(event: Name, listener: ModelEvents[Name]) {
      return listeners[event].add(listener as never);
    },
    setControl(device, control) {
      const entry = entries.get(device);
      if (!entry || JSON.stringify(entry.control) === JSON.stringify(control)) return;
      entry.control = control;
      changed(entry);
    },
    refused: () => entries.values().reduce((sum, { refusals }) => sum + refusals.total, 0),
    keptBytes,
    close() {
      clearTimeout(flushing);
      part.leave();
      entries.clear();
    },
  };
}

const sumOf = <One>(all: readonly One[], of: (one: One) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0);

const countFields = ({ capabilities }: Description): number =>
  sumOf([...capabilities.values()], ({ fields }) => Object.keys(fields).length);

const wordsOf = ({ capabilities, ...words }: Description): string => JSON.stringify([words, ...capabilities.values()]);

function deviceOf({ description, source, state, lastSeenMs, alerts, control }: Entry): Device {
  const { id, name, maker, model, firmware, capabilities } = description;
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    ...{ id, name, source, state, lastSeenAt: iso(lastSeenMs) },
    ...(maker === undefined ? {} : { maker }),
    ...(model === undefined ? {} : { model }),
    ...(firmware === undefined ? {} : { firmware }),
    alerts: Array.from(alerts, ([key, { text, atMs }]): Alert => ({ id: key, text, at: iso(atMs) })),
    ...control,
    capabilities: [...capabilities.values()],
  };
}
