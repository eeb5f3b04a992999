import { open, rename } from "node:fs/promises";
import {
  type Capability,
  DEVICES_LIMITS,
  type Device,
  type DeviceLine,
  type Sample,
} from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import type { KeepingModel } from "../model/model.ts";
import type { Ring } from "../model/ring.ts";
import {
  type ChannelDescription,
  type ControlEvent,
  type DeviceChange,
  OWN_CHANNELS,
  sampleChannel,
  topicOf,
  writtenLine,
} from "./channels.ts";
import { createMcapFile, type McapFile } from "./mcap-file.ts";
import type { Memory } from "./memory.ts";
import { createSummary, type Summary } from "./summary.ts";
import { nsOf } from "./times.ts";

const { chunkBytes, chunkMs, maxRecordingMs } = DEVICES_LIMITS;
const PULL_MS = 100;
/** What is older than a pull is written in the order of time, a second at a time. */
const WINDOW_MS = 1_000;
const SYNC_MS = 5_000;
/** Lines, control events and changes that wait to be written. */
const MAX_WAITING = 20_000;
/** MCAP numbers channels with 16 bits. */
const MAX_CHANNELS = 20_000;

/** What a file gets besides samples. */
type Waiting = { tMs: number; channel: "devices" | "lines" | "control"; data: object };

export type WritingOptions = {
  path: string;
  model: Pick<KeepingModel, "devices" | "ring" | "on">;
  memory: Memory;
  fromMs: number;
  devices: ReadonlySet<string> | undefined;
  maxBytes: number;
  now: Clock;
  /** About once per second. */
  onGrown(): void;
  /** It ended without being asked to. */
  onEnded(reason: string): void;
};

export type Writing = {
  readonly bytes: number;
  readonly lastMs: number;
  summary(): Summary;
  /** Writes what has come until now, and the end of the file. Rejects if that fails: the file is then not whole. */
  stop(): Promise<void>;
};

/** Its name while it is written: nobody takes it for a whole one, and backups leave it out. */
export const partOf = (path: string): string => `${path}.tmp`;

/**
 * Writes a recording. Samples are not handed to it: as pages do, it remembers where it is in the rings of the channels, so
 * that between what was in memory and what comes nothing is missing or doubled, and a slow disk needs no memory.
 */
export async function startWriting(options: WritingOptions): Promise<Writing> {
  const { model, fromMs, now, path } = options;
  const handle = await open(partOf(path), "wx", 0o600);
  const file = await createMcapFile(handle);
  const channels = createChannels(file);
  const summary = createSummary(fromMs);
  const isWanted = (device: string) => options.devices?.has(device) ?? true;
  const places = createPlaces(model, isWanted, fromMs);
  let lastMs = fromMs;
  let [chunkAtMs, syncedAtMs] = [now(), now()];
  let isEnding = false;

  const intake = openIntake(options, isWanted, {
    change: (device) => places.notice(device),
    line: summary.line,
    control: summary.control,
  });

  async function put(channel: number, tMs: number, data: object, publishMs?: number): Promise<void> {
    const logTime = nsOf(tMs);
    const publishTime = isTime(publishMs) ? nsOf(publishMs) : logTime;
    file.addMessage({ channelId: channel, logTime, publishTime, data: Buffer.from(JSON.stringify(data)) });
    lastMs = Math.max(lastMs, tMs);
    if (file.pendingBytes >= chunkBytes) await endChunk();
  }

  async function endChunk(): Promise<void> {
    chunkAtMs = now();
    await file.endChunk();
  }

  /** Writes what has a time before this. */
  async function writeUntil(untilMs: number): Promise<void> {
    for (const { channel, tMs, data } of intake.take(untilMs)) await put(channels.own(channel), tMs, data);
    for (const { device, capability, sample } of places.take(untilMs)) {
      summary.sample(sample, capability.kind);
      await put(channels.of(device, capability), sample.tMs, sample.values, sample.deviceTMs);
    }
  }

  async function pull(): Promise<void> {
    await writeUntil(Number.POSITIVE_INFINITY);
    if (now() - chunkAtMs >= chunkMs) {
      await endChunk();
      options.onGrown();
    }
    if (now() - syncedAtMs < SYNC_MS) return;
    syncedAtMs = now();
    await handle.datasync();
  }

  const overReason = (): string | undefined => {
    if (file.bytes + file.pendingBytes > options.maxBytes) return "There is no space left for recordings.";
    if (now() - fromMs > maxRecordingMs) return `A recording has at most ${maxRecordingMs / 3_600_000} hours.`;
    return channels.count > MAX_CHANNELS ? "Devices described themselves too often." : undefined;
  };

  async function run(): Promise<void> {
    // What was in memory, in the order of time; others get their turn in between.
    for (let untilMs = fromMs + WINDOW_MS; untilMs < now(); untilMs += WINDOW_MS) {
      await writeUntil(untilMs);
      await new Promise(setImmediate);
    }
    while (!isEnding) {
      await pull();
      const reason = overReason();
      if (reason !== undefined) return options.onEnded(reason);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, PULL_MS);
        wake = () => {
          clearTimeout(timer);
          resolve(undefined);
        };
      });
    }
  }
  let wake = () => {};
  const running = run().catch((error: NodeJS.ErrnoException) => options.onEnded(reasonOf(error)));

  return {
    get bytes() {
      return file.bytes;
    },
    get lastMs() {
      return lastMs;
    },
    summary: () => summary.build(lastMs),
    async stop() {
      isEnding = true;
      wake();
      await running;
      intake.close();
      try {
        await writeUntil(Number.POSITIVE_INFINITY);
        await file.finish();
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await rename(partOf(path), path);
    },
  };
}

/** Lines, control events and changes of devices, those of the past too, until they are written. */
function openIntake(
  { memory, model, fromMs }: Pick<WritingOptions, "memory" | "model" | "fromMs">,
  isWanted: (device: string) => boolean,
  on: { change(device: Device): void; line(line: DeviceLine): void; control(event: ControlEvent): void },
) {
  let waiting: Waiting[] = [];
  const wait = (tMs: number, channel: Waiting["channel"], data: object) => {
    if (waiting.length < MAX_WAITING) waiting.push({ tMs, channel, data });
  };
  const takeChange = (change: DeviceChange) => {
    if (!isWanted(change.id)) return;
    if (change.device) on.change(change.device);
    wait(change.tMs, "devices", change);
  };
  const takeLine = (line: DeviceLine) => {
    if (!isWanted(line.device)) return;
    wait(line.tMs, "lines", writtenLine(line));
    on.line(line);
  };
  const takeControl = (event: ControlEvent) => {
    wait(event.tMs, "control", event);
    on.control(event);
  };
  memory.changes(fromMs).forEach(takeChange);
  memory.lines(fromMs).forEach(takeLine);
  memory.controls(fromMs).forEach(takeControl);
  const stops = [memory.onChange(takeChange), model.on("line", takeLine), memory.onControl(takeControl)];
  return {
    /** Those before this time, in the order of time. */
    take(untilMs: number): Waiting[] {
      const taken = waiting.filter(({ tMs }) => tMs < untilMs).sort((a, b) => a.tMs - b.tMs);
      waiting = waiting.filter(({ tMs }) => tMs >= untilMs);
      return taken;
    },
    close(): void {
      for (const stop of stops) stop();
    },
  };
}

const isTime = (ms: number | undefined): ms is number => ms !== undefined && ms >= 0 && ms < 2 ** 53 / 1_000;

const reasonOf = ({ code }: NodeJS.ErrnoException): string =>
  code === "ENOSPC" || code === "EDQUOT"
    ? "The disk is full. What was recorded until then is there."
    : `The file could not be written${code === undefined ? "" : ` (${code})`}.`;

/** The channels of a file. A device that describes itself differently gets another one of the same name. */
function createChannels(file: McapFile) {
  const ids = new Map<string, number>();
  const known = new WeakMap<Capability, number>();
  const idOf = (channel: ChannelDescription): number => {
    const key = `${channel.topic} ${channel.schema.name} ${Buffer.from(channel.schema.data).toString()}`;
    const id = ids.get(key) ?? file.addChannel(channel);
    ids.set(key, id);
    return id;
  };
  return {
    get count() {
      return ids.size;
    },
    own: (name: keyof typeof OWN_CHANNELS): number => idOf(OWN_CHANNELS[name]),
    of(device: Device, capability: Capability): number {
      const id = known.get(capability) ?? idOf(sampleChannel(device, capability));
      known.set(capability, id);
      return id;
    },
  };
}

type Place = { ring: Ring; next: number; device: Device; capability: Capability };
type Taken = { device: Device; capability: Capability; sample: Sample };

/** Where a recording is in the samples of each channel. */
function createPlaces(
  model: Pick<KeepingModel, "devices" | "ring">,
  isWanted: (device: string) => boolean,
  fromMs: number,
) {
  const places = new Map<string, Place>();
  /** Of rings that were replaced. */
  let left: Taken[] = [];

  function takeFrom(place: Place, untilMs: number, into: Taken[]): void {
    const { ring, device, capability } = place;
    const end = untilMs === Number.POSITIVE_INFINITY ? ring.next : ring.from(untilMs);
    for (place.next = Math.max(place.next, ring.first); place.next < end; place.next += 1) {
      const kept = ring.sample(place.next);
      if (!kept) continue;
      const { tMs, values, deviceTMs } = kept;
      const own = deviceTMs === undefined ? {} : { deviceTMs };
      into.push({ device, capability, sample: { device: device.id, capability: capability.id, tMs, values, ...own } });
    }
  }

  function placeOf(key: string, device: Device, capability: Capability): Place | undefined {
    const known = places.get(key);
    const ring = model.ring(device.id, capability.id);
    if (!ring || known?.ring === ring) return known;
    // It described itself differently: first what is left of before.
    if (known) takeFrom(known, Number.POSITIVE_INFINITY, left);
    const place = { ring, next: known ? ring.first : ring.from(fromMs), device, capability };
    places.set(key, place);
    return place;
  }

  return {
    /** It described itself: samples that it sends before it does so again, or goes, are not missed. */
    notice(device: Device): void {
      for (const capability of device.capabilities)
        placeOf(topicOf({ device: device.id, capability: capability.id }), device, capability);
    },
    /** All new samples before this time, in the order of time. */
    take(untilMs: number): Taken[] {
      const taken = left;
      left = [];
      const seen = new Set<string>();
      for (const device of model.devices()) {
        if (!isWanted(device.id)) continue;
        for (const capability of device.capabilities) {
          const key = topicOf({ device: device.id, capability: capability.id });
          seen.add(key);
          const place = placeOf(key, device, capability);
          if (place) takeFrom(place, untilMs, taken);
        }
      }
      taken.push(...left.splice(0));
      for (const [key, place] of places) {
        if (seen.has(key)) continue;
        // The device was removed.
        takeFrom(place, Number.POSITIVE_INFINITY, taken);
        places.delete(key);
      }
      return taken.sort((a, b) => a.sample.tMs - b.sample.tMs);
    },
  };
}
