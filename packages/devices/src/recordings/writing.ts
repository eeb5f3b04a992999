import { type FileHandle, open, rename } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { type Capability, DEVICES_LIMITS, type Device } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import type { KeepingModel } from "../model/model.ts";
import { parametersOf } from "../streams/h264.ts";
import type { Picture } from "../streams/picture.ts";
import { type ChannelDescription, OWN_CHANNELS, sampleChannel } from "./channels.ts";
import { openIntake } from "./intake.ts";
import { createMcapFile, type McapFile } from "./mcap-file.ts";
import type { Memory } from "./memory.ts";
import { createPlaces } from "./places.ts";
import { createRest } from "./rest.ts";
import { createSummary, type Summary } from "./summary.ts";
import { nsOf } from "./times.ts";
import { type FollowVideos, openVideoIntake, videoChannel, videoMessage } from "./video.ts";

const { chunkBytes, chunkMs, maxRecordingMs } = DEVICES_LIMITS;
const PULL_MS = 100;
/** What is older than a pull is written in the order of time, a second at a time. */
const WINDOW_MS = 1_000;
const SYNC_MS = 5_000;
/** MCAP numbers channels with 16 bits. */
const MAX_CHANNELS = 20_000;

export type WritingOptions = {
  path: string;
  model: Pick<KeepingModel, "devices" | "ring" | "on">;
  memory: Memory;
  fromMs: number;
  devices: ReadonlySet<string> | undefined;
  followVideos?: FollowVideos | undefined;
  maxBytes: number;
  now: Clock;
  /** Resolves when the disk has what was written, which may take long. */
  sync(handle: FileHandle): Promise<void>;
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
  const intake = openIntake(options, isWanted, {
    change: (device) => places.notice(device),
    line: summary.line,
    control: summary.control,
  });
  const video = openVideoIntake(options.followVideos ?? (() => () => {}));
  const pages = createPages(file, handle, options);
  const rest = createRest();
  let isEnding = false;

  /** Writes what has a time before this. */
  async function writeUntil(untilMs: number): Promise<void> {
    for (const { channel, tMs, data } of intake.take(untilMs)) await pages.put(channels.own(channel), tMs, data);
    for (const { device, capability, sample } of places.take(untilMs)) {
      summary.sample(sample, capability.kind);
      await pages.put(channels.of(device, capability), sample.tMs, sample.values, sample.deviceTMs);
    }
    for (const { stream, picture } of video.take(untilMs))
      await pages.put(channels.video(stream, picture), picture.tMs, videoMessage(stream, picture));
  }

  /** What was in memory, in the order of time; others get their turn in between. */
  async function writePast(): Promise<void> {
    for (let untilMs = fromMs + WINDOW_MS; untilMs < now(); untilMs += WINDOW_MS) {
      await writeUntil(untilMs);
      await turn();
    }
  }

  async function run(): Promise<void> {
    await writePast();
    while (!isEnding) {
      await writeUntil(Number.POSITIVE_INFINITY);
      await pages.keep();
      const reason = overReason(options, file.bytes + file.pendingBytes, channels.count);
      if (reason !== undefined) return options.onEnded(reason);
      await rest.wait(PULL_MS);
    }
  }
  const running = run().catch((error: NodeJS.ErrnoException) => options.onEnded(reasonOf(error)));

  return {
    get bytes() {
      return file.bytes;
    },
    get lastMs() {
      return pages.lastMs;
    },
    summary: () => summary.build(pages.lastMs),
    async stop() {
      isEnding = true;
      rest.wake();
      await running;
      intake.close();
      video.close();
      await pages.synced();
      try {
        await writeUntil(Number.POSITIVE_INFINITY);
        await file.finish();
        await options.sync(handle);
      } finally {
        await handle.close();
      }
      await rename(partOf(path), path);
    },
  };
}

/** Puts messages into chunks, which end when they are large or old, and sees that they get to the disk. */
function createPages(file: McapFile, handle: FileHandle, { fromMs, now, sync, onGrown }: WritingOptions) {
  let lastMs = fromMs;
  let [chunkAtMs, syncedAtMs] = [now(), now()];
  let syncing: Promise<void> | undefined;
  let fault: unknown;

  /** Chunks do not wait for a slow disk: the operating system has them, whatever becomes of this process. */
  function syncMeanwhile(): void {
    if (syncing || now() - syncedAtMs < SYNC_MS) return;
    syncedAtMs = now();
    syncing = sync(handle)
      .catch((error: unknown) => {
        fault = error;
      })
      .finally(() => {
        syncing = undefined;
      });
  }

  async function endChunk(): Promise<void> {
    chunkAtMs = now();
    await file.endChunk();
  }

  return {
    get lastMs() {
      return lastMs;
    },
    async put(channelId: number, tMs: number, data: object, publishMs?: number): Promise<void> {
      const logTime = nsOf(tMs);
      const publishTime = isTime(publishMs) ? nsOf(publishMs) : logTime;
      file.addMessage({ channelId, logTime, publishTime, data: Buffer.from(JSON.stringify(data)) });
      lastMs = Math.max(lastMs, tMs);
      if (file.pendingBytes >= chunkBytes) await endChunk();
    },
    async keep(): Promise<void> {
      if (now() - chunkAtMs >= chunkMs) {
        await endChunk();
        onGrown();
      }
      syncMeanwhile();
      if (fault !== undefined) throw fault;
    },
    /** Nobody uses the file any more. */
    synced: async (): Promise<void> => syncing,
  };
}

/** Why a recording cannot go on, and what to do. */
function overReason({ fromMs, maxBytes, now }: WritingOptions, bytes: number, channels: number): string | undefined {
  if (bytes > maxBytes)
    return "There is no space left for recordings. Remove some, or set RECORDINGS_MAX_BYTES higher.";
  if (now() - fromMs > maxRecordingMs)
    return `It is ${maxRecordingMs / 3_600_000} hours long, the most that a recording can have. Start another one.`;
  if (channels > MAX_CHANNELS)
    return `Devices described themselves differently ${MAX_CHANNELS} times. Disconnect the one that does, then start another one.`;
  return undefined;
}

const isTime = (ms: number | undefined): ms is number => ms !== undefined && ms >= 0 && ms < 2 ** 53 / 1_000;

const reasonOf = ({ code }: NodeJS.ErrnoException): string =>
  code === "ENOSPC" || code === "EDQUOT"
    ? "The disk is full. What was recorded until then is there. Make space, then start another one."
    : `The file could not be written${code === undefined ? "" : ` (${code})`}. Check the disk, then start another one.`;

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
    /** Of one stream: for key pictures with these parameters, or for all others. */
    video(stream: string, { isKey, units }: Picture): number {
      const channel = videoChannel(stream, isKey ? parametersOf(units) : undefined);
      const key = `${channel.topic} ${[...channel.metadata.values()].join(" ")}`;
      const id = ids.get(key) ?? file.addChannel(channel);
      ids.set(key, id);
      return id;
    },
    own: (name: keyof typeof OWN_CHANNELS): number => idOf(OWN_CHANNELS[name]),
    of(device: Device, capability: Capability): number {
      const id = known.get(capability) ?? idOf(sampleChannel(device, capability));
      known.set(capability, id);
      return id;
    },
  };
}
