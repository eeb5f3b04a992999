import { crc8 } from "../checksums.ts";
import { bytesOf, type Codec, createFrameReader, type Frame, type Layout, readLayout, writeLayout } from "../codec.ts";

/** The telemetry of a KISS or BLHeli speed controller: ten bytes, of which the last is a checksum. Nothing marks its start. */
const FRAME = [
  ["temperatureC", "u8"],
  ["voltageV", "u16", 100],
  ["currentA", "u16", 100],
  ["consumedMah", "u16"],
  ["erpm", "u16", 0.01],
] as const satisfies Layout<string>;
export type KissFrame = Record<(typeof FRAME)[number][0], number>;

const SUM_AT = bytesOf(FRAME);
const LENGTH = SUM_AT + 1;

/** A line that is quiet looks like zeros, of which the checksum is right: nothing without a supply sends telemetry. */
function readFrame(bytes: Buffer): KissFrame | undefined {
  if (bytes[SUM_AT] !== crc8(bytes.subarray(0, SUM_AT))) return undefined;
  const frame = readLayout(FRAME, bytes);
  return frame && frame.voltageV > 0 ? frame : undefined;
}

/** Slides on until a checksum is right. */
function findFrame(waiting: Buffer): Frame<KissFrame> | undefined {
  if (waiting.length < LENGTH) return undefined;
  const message = readFrame(waiting);
  if (message) return { length: LENGTH, message };
  let at = 1;
  while (at + LENGTH <= waiting.length && !readFrame(waiting.subarray(at))) at += 1;
  return { length: at };
}

export const kissFrames: Codec<KissFrame> = {
  write(frame) {
    const bytes = writeLayout(FRAME, frame);
    return Buffer.concat([bytes, Buffer.of(crc8(bytes))]);
  },
  createReader: () => createFrameReader(findFrame),
};
