import { type FileHandle, open } from "node:fs/promises";
import { zstdDecompressSync } from "node:zlib";
import type { DeviceLine, Field, Sample } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { McapIndexedReader, type McapTypes } from "@mcap/core";
import { fieldsOf } from "../foxglove/channels.ts";
import {
  CONTROL_TOPIC,
  type ControlEvent,
  DEVICES_TOPIC,
  type DeviceChange,
  LINES_TOPIC,
  readLine,
  topicOf,
} from "./channels.ts";
import { msOf, nsOf } from "./times.ts";

const MAX_CHUNK_BYTES = 64 * 1024 * 1024;
/** Of how devices described themselves. */
const MAX_CHANGES_BYTES = 32 * 1024 * 1024;

export type ChannelName = Pick<Sample, "device" | "capability">;

export type RecordedChannelFields = ChannelName & { fields: Record<string, Pick<Field, "datatype" | "unit">> };

/** Samples and lines, in the order of time. */
export type RecordedEvent = { sample: Sample } | { line: DeviceLine };

/** What can be replayed: a recording, or what is in memory. */
export type RecordingSource = {
  readonly startMs: number;
  readonly endMs: number;
  /** How each device described itself, and what changed, oldest first. */
  changes(): Promise<DeviceChange[]>;
  /** After `fromMs`, until `toMs`. */
  read(
    wanted: { channels: readonly ChannelName[]; lines: boolean },
    fromMs: number,
    toMs: number,
  ): AsyncIterable<RecordedEvent>;
  close(): Promise<void>;
};

export type FileSource = RecordingSource & {
  /** The same from its beginning to its end, and what was told the devices. */
  all(channels: readonly ChannelName[]): AsyncIterable<RecordedEvent | { control: ControlEvent }>;
  /** What was recorded of devices, with all fields that a channel had at any time. */
  channels(): RecordedChannelFields[];
};

/** Opens the file of a recording that has ended. Close its handle. */
export async function openReader(path: string): Promise<{ handle: FileHandle; reader: McapIndexedReader }> {
  const handle = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new Problem("recording-unknown", {
      detail: "The file of this recording is not in PROJECTS_FOLDER. Instances that work together share that folder.",
    });
  });
  try {
    const reader = await McapIndexedReader.Initialize({
      readable: readableOf(handle),
      decompressHandlers: {
        zstd: (bytes) => zstdDecompressSync(bytes, { maxOutputLength: MAX_CHUNK_BYTES }),
      },
    });
    return { handle, reader };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export async function openFileSource(path: string): Promise<FileSource> {
  const { handle, reader } = await openReader(path);
  return fileSource(handle, reader);
}

const readableOf = (handle: FileHandle): McapTypes.IReadable => ({
  size: async () => BigInt((await handle.stat()).size),
  async read(offset, length) {
    const space = Buffer.alloc(Number(length));
    const { bytesRead } = await handle.read(space, 0, space.length, Number(offset));
    return space.subarray(0, bytesRead);
  },
});

function fileSource(handle: FileHandle, reader: McapIndexedReader): FileSource {
  const { statistics, channelsById, schemasById } = reader;
  const startMs = msOf(statistics?.messageStartTime ?? 0n);
  const endMs = msOf(statistics?.messageEndTime ?? 0n);
  const topicById = new Map(Array.from(channelsById, ([id, { topic }]) => [id, topic]));

  async function* messages(topics: readonly string[], fromMs: number, toMs: number) {
    if (topics.length === 0 || toMs <= fromMs) return;
    const times = { startTime: nsOf(Math.max(0, fromMs)) + 1n, endTime: nsOf(Math.max(0, toMs)) };
    for await (const { channelId, logTime, publishTime, data } of reader.readMessages({ topics, ...times })) {
      const topic = topicById.get(channelId) ?? "";
      const value = JSON.parse(Buffer.from(data).toString()) as unknown;
      yield { topic, tMs: msOf(logTime), publishTime, logTime, value, size: data.byteLength };
    }
  }

  return {
    startMs,
    endMs,
    channels() {
      const found = new Map<string, RecordedChannelFields>();
      for (const { topic, schemaId } of channelsById.values()) {
        const name = nameOf(topic);
        if (!name) continue;
        const known = found.get(topic) ?? { ...name, fields: {} };
        found.set(topic, known);
        const schema = schemasById.get(schemaId);
        if (schema) Object.assign(known.fields, fieldsOf(Buffer.from(schema.data).toString()));
      }
      return [...found.values()];
    },
    async changes() {
      const changes: DeviceChange[] = [];
      let bytes = 0;
      for await (const { value, size } of messages([DEVICES_TOPIC], startMs - 1, endMs)) {
        bytes += size;
        if (bytes > MAX_CHANGES_BYTES) break;
        changes.push(value as DeviceChange);
      }
      return changes;
    },
    async *read({ channels, lines }, fromMs, toMs) {
      const topics = [...channels.map(topicOf), ...(lines ? [LINES_TOPIC] : [])];
      for await (const message of messages(topics, fromMs, toMs)) yield eventOf(message);
    },
    async *all(channels) {
      const topics = [...channels.map(topicOf), LINES_TOPIC, CONTROL_TOPIC];
      for await (const message of messages(topics, startMs - 1, endMs))
        yield message.topic === CONTROL_TOPIC
          ? { control: { ...(message.value as ControlEvent), tMs: message.tMs } }
          : eventOf(message);
    },
    close: () => handle.close(),
  };
}

type Message = { topic: string; tMs: number; publishTime: bigint; logTime: bigint; value: unknown };

function eventOf({ topic, tMs, publishTime, logTime, value }: Message): RecordedEvent {
  const name = nameOf(topic);
  const own = publishTime === logTime ? {} : { deviceTMs: msOf(publishTime) };
  return name ? { sample: { ...name, tMs, ...own, values: value as JsonObject } } : { line: readLine(tMs, value) };
}

function nameOf(topic: string): ChannelName | undefined {
  const [, device, capability, ...more] = topic.split("/");
  // Streams have three parts.
  if (device === undefined || capability === undefined || more.length > 0) return undefined;
  return { device, capability };
}
