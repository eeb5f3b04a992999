import { TIME_SCHEMA } from "../foxglove/channels.ts";
import { type Parameters, parametersOf } from "../streams/h264.ts";
import { type Picture, START_CODE } from "../streams/picture.ts";
import type { ChannelDescription } from "./channels.ts";
import { nsOf } from "./times.ts";

/** Pictures that wait to be written. */
const MAX_WAITING_BYTES = 16_777_216;
const SCHEMA_NAME = "foxglove.CompressedVideo";
const SCHEMA = Buffer.from(
  JSON.stringify({
    ...{ type: "object", title: SCHEMA_NAME },
    properties: {
      ...{ timestamp: TIME_SCHEMA, frame_id: { type: "string" }, format: { type: "string" } },
      data: { type: "string", contentEncoding: "base64" },
    },
  }),
);

/** Gets the pictures of the streams that are recorded, until what is returned is called. `payer`: the person who records. */
export type FollowVideos = (take: (stream: string, picture: Picture) => void, payer?: string) => () => void;

export const videoTopicOf = (stream: string): string => `/streams/${stream}/video`;

/**
 * Key pictures have a channel of their own, with the same name: its index in the file says where a player can begin, and
 * its metadata what that player has to know, without reading any picture.
 */
export const videoChannel = (stream: string, key: Parameters | undefined): ChannelDescription => ({
  ...{ topic: videoTopicOf(stream), schema: { name: SCHEMA_NAME, data: SCHEMA } },
  metadata: new Map([
    ["stream", stream],
    ...(key
      ? ([
          ["sequence_parameters", key.sequence.toString("base64")],
          ["picture_parameters", key.picture.toString("base64")],
        ] as const)
      : []),
  ]),
});

/** As tools show it: units with start codes before each. */
export function videoMessage(stream: string, { tMs, units }: Picture): object {
  const ns = nsOf(tMs);
  return {
    timestamp: { sec: Number(ns / 1_000_000_000n), nsec: Number(ns % 1_000_000_000n) },
    ...{ frame_id: stream, format: "h264" },
    data: Buffer.concat(units.flatMap((unit) => [START_CODE, unit])).toString("base64"),
  };
}

/** The units of a message, without start codes. No unit has one inside: bytes that would look like it are escaped. */
export function unitsOf(message: unknown): Buffer[] {
  const bytes = Buffer.from((message as { data: string }).data, "base64");
  const units: Buffer[] = [];
  for (let at = bytes.indexOf(START_CODE); at !== -1; ) {
    const next = bytes.indexOf(START_CODE, at + START_CODE.length);
    units.push(bytes.subarray(at + START_CODE.length, next === -1 ? bytes.length : next));
    at = next;
  }
  return units;
}

type Waiting = { stream: string; picture: Picture };

/** Pictures until they are written. What a slow disk cannot take is left out up to the next key picture. */
export function openVideoIntake(follow: FollowVideos) {
  let waiting: Waiting[] = [];
  let bytes = 0;
  const isPlaying = new Set<string>();
  const stop = follow((stream, picture) => {
    const size = picture.units.reduce((sum, { length }) => sum + length, 0);
    const isFull = bytes + size > MAX_WAITING_BYTES;
    if (isFull) isPlaying.delete(stream);
    else if (picture.isKey && parametersOf(picture.units)) isPlaying.add(stream);
    if (!isPlaying.has(stream)) return;
    bytes += size;
    waiting.push({ stream, picture });
  });
  return {
    take(untilMs: number): Waiting[] {
      const taken = waiting.filter(({ picture }) => picture.tMs < untilMs);
      waiting = waiting.filter(({ picture }) => picture.tMs >= untilMs);
      bytes = waiting.reduce((sum, { picture }) => sum + picture.units.reduce((all, { length }) => all + length, 0), 0);
      return taken;
    },
    close: stop,
  };
}
