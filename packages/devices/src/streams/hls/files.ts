import { isKeyUnit, isParameterSet } from "../h264.ts";
import type { Sample } from "./boxes.ts";

/** A file of an HLS stream: its playlist, or a part of the video. */
export type HlsFile = { type: string; bytes: Buffer };
/** Why a file cannot be had, in words. */
export type NoFile = { reason: string };

export const PLAYLIST = "index.m3u8";
export const PLAYLIST_TYPE = "application/vnd.apple.mpegurl";
export const MP4_TYPE = "video/mp4";

/** A picture as MP4 has it: lengths before its units, and no parameters, which are at the beginning of the file. */
export function sampleOf(units: readonly Buffer[], ticks: number): Sample {
  const shown = units.filter((unit) => !isParameterSet("H.264", unit));
  const bytes = Buffer.alloc(shown.reduce((sum, { length }) => sum + 4 + length, 0));
  let at = 0;
  for (const unit of shown) {
    at = bytes.writeUInt32BE(unit.length, at);
    at += unit.copy(bytes, at);
  }
  return { ticks, isKey: shown.some((unit) => isKeyUnit("H.264", unit)), bytes };
}
