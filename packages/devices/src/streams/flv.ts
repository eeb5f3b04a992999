import { createInbox } from "./inbox.ts";
import { MAX_PICTURE_BYTES, MAX_UNITS, type Picture } from "./picture.ts";

const HEADER_BYTES = 9;
const TAG_HEADER_BYTES = 11;
const SIZE_BYTES = 4;
const VIDEO = 9;
const AVC = 7;
const SEQUENCE_HEADER = 0;
const UNITS = 1;

/** The pictures in what ffmpeg writes: H.264 in FLV, which has the length and the time of each picture before it. */
export function createFlvReader(onPicture: (picture: Picture) => void): (bytes: Buffer) => void {
  const inbox = createInbox(MAX_PICTURE_BYTES + 65_536);
  let isOpen = false;
  let parameters: Buffer[] = [];

  function takeVideo(tMs: number, data: Buffer): void {
    if (data.length < 5) return;
    if (((data[0] as number) & 15) !== AVC) throw new Error("The video is not H.264.");
    const rest = data.subarray(5);
    if (data[1] === SEQUENCE_HEADER) {
      parameters = parameterSetsOf(rest);
      return;
    }
    if (data[1] !== UNITS) return;
    const units = unitsOf(rest);
    const isKey = (data[0] as number) >> 4 === 1;
    if (units.length > 0) onPicture({ tMs, isKey, units: isKey ? [...parameters, ...units] : units });
  }

  return (bytes) => {
    inbox.add(bytes);
    for (;;) {
      const view = inbox.view();
      if (!isOpen) {
        if (view.length < HEADER_BYTES + SIZE_BYTES) return;
        if (view.toString("latin1", 0, 3) !== "FLV") throw new Error("This is not FLV.");
        inbox.drop(HEADER_BYTES + SIZE_BYTES);
        isOpen = true;
        continue;
      }
      if (view.length < TAG_HEADER_BYTES) return;
      const length = view.readUIntBE(1, 3);
      if (length > MAX_PICTURE_BYTES) throw new Error("A picture is too large.");
      const whole = TAG_HEADER_BYTES + length + SIZE_BYTES;
      if (view.length < whole) return;
      const tMs = view.readUIntBE(4, 3) + (view[7] as number) * 0x1000000;
      if (((view[0] as number) & 31) === VIDEO)
        takeVideo(tMs, view.subarray(TAG_HEADER_BYTES, TAG_HEADER_BYTES + length));
      inbox.drop(whole);
    }
  };
}

/** Of an AVCDecoderConfigurationRecord (ISO/IEC 14496-15). */
function parameterSetsOf(record: Buffer): Buffer[] {
  const sets: Buffer[] = [];
  let at = 5;
  for (const mask of [31, 255]) {
    const count = (record[at] ?? 0) & mask;
    at += 1;
    for (let i = 0; i < count; i += 1) {
      if (at + 2 > record.length) return sets;
      const end = at + 2 + record.readUInt16BE(at);
      if (end > record.length) return sets;
      sets.push(Buffer.from(record.subarray(at + 2, end)));
      at = end;
    }
  }
  return sets;
}

/** Each with its length before it, in four bytes. */
function unitsOf(data: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at + 4 <= data.length && units.length < MAX_UNITS; ) {
    const end = at + 4 + data.readUInt32BE(at);
    if (end > data.length) break;
    if (end > at + 4) units.push(Buffer.from(data.subarray(at + 4, end)));
    at = end;
  }
  return units;
}
