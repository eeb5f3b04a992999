import { isKeyUnit, isParameterSet } from "./h264.ts";
import {
  type Codec,
  MAX_PARAMETER_BYTES,
  MAX_PARAMETER_SETS,
  MAX_PICTURE_BYTES,
  MAX_UNITS,
  type Picture,
} from "./picture.ts";

const FIXED_BYTES = 12;
const CLOCK_PER_MS = 90;
const WRAP = 2 ** 32;
/** Packets of one unit. */
const MAX_PARTS = 8_192;

export type RtpPacket = { number: number; time: number; isLast: boolean; payload: Buffer };

/** Undefined: it is no RTP packet (RFC 3550). */
export function readRtp(bytes: Buffer): RtpPacket | undefined {
  if (bytes.length < FIXED_BYTES) return undefined;
  const first = bytes[0] as number;
  if (first >> 6 !== 2) return undefined;
  let start = FIXED_BYTES + 4 * (first & 15);
  if ((first & 16) !== 0) {
    if (bytes.length < start + 4) return undefined;
    start += 4 + 4 * bytes.readUInt16BE(start + 2);
  }
  const padding = (first & 32) === 0 ? 0 : (bytes.at(-1) as number);
  const end = bytes.length - padding;
  if (start > end) return undefined;
  const second = bytes[1] as number;
  const payload = bytes.subarray(start, end);
  return { number: bytes.readUInt16BE(2), time: bytes.readUInt32BE(4), isLast: second >= 128, payload };
}

type Piece =
  | { kind: "units"; units: Buffer[] }
  | { kind: "part"; isFirst: boolean; isLast: boolean; head: Buffer; body: Buffer };

/** RFC 6184: single units, several in one packet (STAP-A), one in several packets (FU-A). */
function pieceOf264(payload: Buffer): Piece | undefined {
  const type = (payload[0] ?? 0) & 31;
  if (type >= 1 && type <= 23) return { kind: "units", units: [payload] };
  if (type === 24) return { kind: "units", units: countedUnits(payload, 1) };
  if (type !== 28 || payload.length < 3) return undefined;
  const [first, second] = [payload[0] as number, payload[1] as number];
  const head = Buffer.from([(first & 0xe0) | (second & 31)]);
  return { kind: "part", isFirst: (second & 128) !== 0, isLast: (second & 64) !== 0, head, body: payload.subarray(2) };
}

/** RFC 7798: single units, several in one packet (AP), one in several packets (FU). */
function pieceOf265(payload: Buffer): Piece | undefined {
  if (payload.length < 4) return undefined;
  const type = ((payload[0] as number) >> 1) & 63;
  if (type < 48) return { kind: "units", units: [payload] };
  if (type === 48) return { kind: "units", units: countedUnits(payload, 2) };
  if (type !== 49) return undefined;
  const third = payload[2] as number;
  const head = Buffer.from([((payload[0] as number) & 0x81) | ((third & 63) << 1), payload[1] as number]);
  return { kind: "part", isFirst: (third & 128) !== 0, isLast: (third & 64) !== 0, head, body: payload.subarray(3) };
}

function countedUnits(payload: Buffer, from: number): Buffer[] {
  const units: Buffer[] = [];
  for (let at = from; at + 2 <= payload.length && units.length <= MAX_UNITS; ) {
    const end = at + 2 + payload.readUInt16BE(at);
    if (end > payload.length) break;
    if (end > at + 2) units.push(payload.subarray(at + 2, end));
    at = end;
  }
  return units;
}

const isFewParameters = (sets: readonly Buffer[]): boolean =>
  sets.length <= MAX_PARAMETER_SETS && sets.reduce((sum, { length }) => sum + length, 0) <= MAX_PARAMETER_BYTES;

/**
 * Pictures from the RTP packets of a camera. A picture of which something is missing, or that has too much, is left out.
 * `parameters`: what the camera said of its pictures before they came; it is put before each key picture that does not have
 * its own.
 */
export function createAssembler(
  codec: Codec,
  { parameters, clockRate }: { parameters: readonly Buffer[]; clockRate: number },
  onPicture: (picture: Picture) => void,
): (packet: RtpPacket) => void {
  const pieceOf = codec === "H.264" ? pieceOf264 : pieceOf265;
  let units: Buffer[] = [];
  let parts: Buffer[] = [];
  let bytes = 0;
  let isBroken = false;
  let lastNumber: number | undefined;
  let lastTime: number | undefined;
  let ticks = 0;
  let known = isFewParameters(parameters) ? [...parameters] : [];

  function finish(): void {
    const own = units.filter((unit) => isParameterSet(codec, unit));
    if (units.length > 0 && !isBroken && isFewParameters(own)) {
      const isKey = units.some((unit) => isKeyUnit(codec, unit));
      if (own.length > 0) known = own;
      const shown = isKey && own.length === 0 ? [...known, ...units] : units;
      onPicture({ tMs: (ticks / clockRate) * 1_000, isKey, units: shown });
    }
    [units, parts, bytes, isBroken] = [[], [], 0, false];
  }

  function add(piece: Piece | undefined): void {
    if (!piece) return;
    if (piece.kind === "units") {
      isBroken = units.length + piece.units.length > MAX_UNITS;
      if (!isBroken) units.push(...piece.units.map((unit) => Buffer.from(unit)));
      return;
    }
    if (piece.isFirst) parts = [piece.head];
    else if (parts.length === 0) isBroken = true;
    parts.push(Buffer.from(piece.body));
    if (!piece.isLast) return;
    units.push(Buffer.concat(parts));
    isBroken ||= units.length > MAX_UNITS;
    parts = [];
  }

  return ({ number, time, isLast, payload }) => {
    if (lastTime !== undefined && time !== lastTime) {
      finish();
      // Signed: the clock of a camera may be set back a little.
      ticks += (time - lastTime) | 0;
    }
    lastTime = time;
    if (lastNumber !== undefined && number !== ((lastNumber + 1) & 0xffff)) isBroken = true;
    lastNumber = number;
    bytes += payload.length;
    if (bytes > MAX_PICTURE_BYTES || parts.length > MAX_PARTS) isBroken = true;
    if (!isBroken) add(pieceOf(payload));
    if (isLast) finish();
  };
}

/** What fits into one packet on every network, beside the headers and the encryption. */
const MAX_PAYLOAD_BYTES = 1_160;

/** Payloads of RTP packets for a picture (RFC 6184): units that fit as they are, others in parts (FU-A). */
export function payloadsOf(units: readonly Uint8Array[]): Buffer[] {
  const payloads: Buffer[] = [];
  for (const unit of units) {
    if (unit.length <= MAX_PAYLOAD_BYTES) {
      payloads.push(Buffer.from(unit));
      continue;
    }
    const first = unit[0] as number;
    for (let at = 1; at < unit.length; at += MAX_PAYLOAD_BYTES - 2) {
      const end = Math.min(at + MAX_PAYLOAD_BYTES - 2, unit.length);
      const marks = (at === 1 ? 128 : 0) | (end === unit.length ? 64 : 0);
      payloads.push(Buffer.concat([Buffer.from([(first & 0xe0) | 28, marks | (first & 31)]), unit.subarray(at, end)]));
    }
  }
  return payloads;
}

/** The time of a picture in RTP: milliseconds since 1970 by this server, in ticks. Pages measure the delay by it. */
export const ticksOf = (tMs: number): number => Math.round(tMs * CLOCK_PER_MS) % WRAP;
