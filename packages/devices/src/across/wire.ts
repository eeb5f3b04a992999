import type { Ack, Device, DeviceLine, NewRecording, Recording, Stopped } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import type { ProblemCode } from "@backplane/kit/problems";
import type { Actor, RecordingNews, SourceNow } from "../services.ts";

export const callChannel = (workspaceId: string): string => `devices:call:${workspaceId}`;
export const newsChannel = (workspaceId: string): string => `devices:news:${workspaceId}`;

export type ChannelName = { device: string; capability: string };

/** Samples of a channel, `first` being the number of the first. `ring` differs after the device described itself again. */
export type Piece = ChannelName & {
  ring: number;
  first: number;
  next: number;
  fields: string[];
  tMs: number[];
  values: (JsonData | null)[][];
};

/** What an instance asks of the one that holds the devices. */
export type Call =
  /** `after`: the devices whose ids come after this one. */
  | { op: "open"; after?: string }
  | { op: "alive" }
  /** Also keeps the channel among those whose samples are told, for a while. */
  | ({ op: "watch"; ring: number | null; from: number } & ChannelName)
  | { op: "take"; device: string; actor: Actor; takeOver: boolean }
  | { op: "renew" | "arm" | "disarm" | "press" | "release"; device: string; actor: Actor }
  | { op: "leave"; device?: string; actor: Actor }
  | ({ op: "command"; call: string; name: string; params: JsonObject; actor: Actor } & ChannelName)
  | { op: "stop" | "clear"; actor: Actor }
  | { op: "record"; wanted: NewRecording & { by: string } }
  | { op: "settle-recordings" }
  | { op: "stop-recording" | "remove-recording"; id: string }
  | { op: "rename-recording"; id: string; name: string };

/** What the holder answers to calls about recordings: null where there is nothing to say. */
export type RecorderAnswer = { recording: Recording | null } | { problem: { code: ProblemCode; detail: string } };

export type Opened = {
  /** The number of the last news that is in here. */
  told: number;
  devices: Device[];
  lines: DeviceLine[];
  stopped: Stopped | null;
  recording: Recording | null;
  /** There are more devices after this one. */
  next?: string;
  sources: readonly SourceNow[];
};

/** In the order in which they were told, counted from 1. */
export type NumberedNews = News & { number: number };

/** What the holder tells all the others. */
export type News =
  | { kind: "devices"; changed: Device[]; removed: string[] }
  | { kind: "lines"; lines: DeviceLine[] }
  | { kind: "stopped"; stopped: Stopped | null }
  | { kind: "samples"; pieces: Piece[] }
  | { kind: "recording"; news: RecordingNews }
  | { kind: "sources"; all: readonly SourceNow[] }
  | { kind: "accepted"; call: string }
  | { kind: "ended" };

/** Well below what the bus takes. */
const MAX_PIECE_BYTES = 400_000;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

export const fits = (value: unknown): boolean => bytesOf(value) <= MAX_PIECE_BYTES;

/** Lists that fit into a message each. What does not fit alone is one of its own. */
export function* inPieces<One>(all: readonly One[]): Generator<One[]> {
  let piece: One[] = [];
  let bytes = 0;
  for (const one of all) {
    const more = bytesOf(one);
    if (piece.length > 0 && bytes + more > MAX_PIECE_BYTES) {
      yield piece;
      [piece, bytes] = [[], 0];
    }
    piece.push(one);
    bytes += more;
  }
  if (piece.length > 0) yield piece;
}

export const noAnswer = (detail: string): Ack => ({ ok: false, code: "no-answer", detail, tookMs: 0 });
