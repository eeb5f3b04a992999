import type { FileHandle } from "node:fs/promises";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { McapIndexedReader } from "@mcap/core";
import { fragmentOf, initOf, type Sample, TICKS } from "../streams/hls/boxes.ts";
import { type HlsFile, MP4_TYPE, PLAYLIST, PLAYLIST_TYPE, sampleOf } from "../streams/hls/files.ts";
import { openReader } from "./source.ts";
import { msOf } from "./times.ts";
import { unitsOf, videoTopicOf } from "./video.ts";

const { maxHlsFileBytes } = DEVICES_LIMITS;
/** Parts of a recorded stream are about this long. */
const PART_NS = 2_000_000_000n;
/** How long the last picture is shown. */
const LAST_NS = 40_000_000n;
/** Of a message index (MCAP): its kind and length, its channel, the length of its list, then times and offsets. */
const [INDEX_HEAD_BYTES, INDEX_LIST_AT, ENTRY_BYTES] = [15, 15, 16];
const MAX_INDEX_BYTES = 16_777_216;

type Part = { fromNs: bigint; toNs: bigint; channelId: number };

/** A stream of a recording: where its parts are. */
export type VideoIndex = { parts: Part[]; inits: Map<number, Buffer> };

/** Undefined: the recording has no pictures of this stream. Nothing but the index of the file is read. */
export async function indexVideo(path: string, stream: string): Promise<VideoIndex | undefined> {
  const { handle, reader } = await openReader(path);
  try {
    const topic = videoTopicOf(stream);
    const ids = [...reader.channelsById.values()].filter((channel) => channel.topic === topic).map(({ id }) => id);
    const inits = new Map<number, Buffer>();
    for (const id of ids) {
      const metadata = reader.channelsById.get(id)?.metadata;
      const [sequence, picture] = ["sequence_parameters", "picture_parameters"].map((name) => metadata?.get(name));
      const init = sequence && picture && initOf(Buffer.from(sequence, "base64"), Buffer.from(picture, "base64"));
      if (init) inits.set(id, init);
    }
    const keys: { ns: bigint; channelId: number }[] = [];
    let lastNs = 0n;
    for (const chunk of reader.chunkIndexes) {
      for (const channelId of ids) {
        const offset = chunk.messageIndexOffsets.get(channelId);
        if (offset === undefined) continue;
        for (const ns of await timesAt(handle, Number(offset))) {
          if (inits.has(channelId)) keys.push({ ns, channelId });
          if (ns > lastNs) lastNs = ns;
        }
      }
    }
    keys.sort((a, b) => (a.ns < b.ns ? -1 : 1));
    const parts = partsOf(keys, lastNs + LAST_NS);
    return parts.length === 0 ? undefined : { parts, inits };
  } finally {
    await handle.close();
  }
}

async function timesAt(handle: FileHandle, offset: number): Promise<bigint[]> {
  const head = Buffer.alloc(INDEX_HEAD_BYTES);
  await handle.read(head, 0, head.length, offset);
  const bytes = Math.min(head.readUInt32LE(11), MAX_INDEX_BYTES);
  const list = Buffer.alloc(bytes - (bytes % ENTRY_BYTES));
  await handle.read(list, 0, list.length, offset + INDEX_LIST_AT);
  return Array.from({ length: list.length / ENTRY_BYTES }, (_, i) => list.readBigUInt64LE(i * ENTRY_BYTES));
}

/** Each part is shown until the next one begins, so that times in the video are times of the recording. */
function partsOf(keys: readonly { ns: bigint; channelId: number }[], endNs: bigint): Part[] {
  const parts: Part[] = [];
  for (const { ns, channelId } of keys) {
    const last = parts.at(-1);
    if (last && last.channelId === channelId && ns - last.fromNs < PART_NS) continue;
    if (last) last.toNs = ns;
    parts.push({ fromNs: ns, toNs: endNs, channelId });
  }
  return parts;
}

/** A file of a recorded stream: its playlist, the beginning of its video, or a part of it. */
export async function videoFile(
  path: string,
  stream: string,
  index: VideoIndex,
  name: string,
): Promise<HlsFile | undefined> {
  if (name === PLAYLIST) return { type: PLAYLIST_TYPE, bytes: Buffer.from(playlistOf(index)) };
  const [, id, number] = /^(?:init-(\d{1,5})\.mp4|part-(\d{1,7})\.m4s)$/.exec(name) ?? [];
  if (id !== undefined) {
    const bytes = index.inits.get(Number(id));
    return bytes && { type: MP4_TYPE, bytes };
  }
  const part = number === undefined ? undefined : index.parts[Number(number)];
  if (!part) return undefined;
  const { handle, reader } = await openReader(path);
  try {
    const samples = await samplesOf(reader, stream, part, index.parts[0]?.fromNs ?? 0n);
    const endTicks = ticksOf(part.toNs - (index.parts[0]?.fromNs ?? 0n));
    return { type: MP4_TYPE, bytes: fragmentOf(Number(number) + 1, samples, endTicks) };
  } finally {
    await handle.close();
  }
}

async function samplesOf(
  reader: McapIndexedReader,
  stream: string,
  { fromNs, toNs }: Part,
  startNs: bigint,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  let bytes = 0;
  const range = { startTime: fromNs, endTime: toNs - 1n };
  for await (const { logTime, data } of reader.readMessages({ topics: [videoTopicOf(stream)], ...range })) {
    bytes += data.byteLength;
    if (bytes > maxHlsFileBytes) break;
    samples.push(sampleOf(unitsOf(JSON.parse(Buffer.from(data).toString())), ticksOf(logTime - startNs)));
  }
  return samples;
}

function playlistOf({ parts }: VideoIndex): string {
  const seconds = ({ fromNs, toNs }: Part) => Number(toNs - fromNs) / 1e9;
  const longest = parts.reduce((most, part) => Math.max(most, seconds(part)), 1);
  const lines = parts.flatMap((part, i) => [
    ...(parts[i - 1]?.channelId === part.channelId ? [] : [`#EXT-X-MAP:URI="init-${part.channelId}.mp4"`]),
    ...(i === 0 ? [`#EXT-X-PROGRAM-DATE-TIME:${new Date(msOf(part.fromNs)).toISOString()}`] : []),
    `#EXTINF:${seconds(part).toFixed(6)},`,
    `part-${i}.m4s`,
  ]);
  return [
    ...["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-PLAYLIST-TYPE:VOD", `#EXT-X-TARGETDURATION:${Math.round(longest)}`],
    ...[...lines, "#EXT-X-ENDLIST", ""],
  ].join("\n");
}

const ticksOf = (ns: bigint): number => Math.round((Number(ns) / 1e6) * TICKS);
