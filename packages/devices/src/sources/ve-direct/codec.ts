import { type Codec, createFrameReader } from "../codec.ts";

/** The fields of one block, as they came: label and value. */
export type VeDirectBlock = readonly (readonly [label: string, value: string])[];

const LABEL = /^[A-Za-z0-9_#]{1,16}$/;
const MAX_VALUE = 64;
const END = Buffer.from("\r\nChecksum\t");
const HEX_START = 0x3a;
const NEW_LINE = 0x0a;

/**
 * Text mode of VE.Direct: a block is lines of label and value, and ends with a byte that makes the sum of all its bytes 0. Messages
 * of the hex mode may come between and are not part of the sum.
 */
export const veDirectBlocks: Codec<VeDirectBlock> = {
  write(block) {
    const text = Buffer.from(`${block.map(([label, value]) => `\r\n${label}\t${value}`).join("")}${END}`, "latin1");
    return Buffer.concat([text, Buffer.of((256 - sumOf(text)) % 256)]);
  },
  createReader: () =>
    createFrameReader((waiting) => {
      const at = waiting.indexOf(END);
      const length = at + END.length + 1;
      if (at === -1 || waiting.length < length) return undefined;
      const bytes = withoutHex(waiting.subarray(0, length - 1));
      const isWhole = (sumOf(bytes) + (waiting[length - 1] as number)) % 256 === 0;
      return { length, message: isWhole ? readFields(bytes.subarray(0, bytes.length - END.length)) : undefined };
    }),
};

const sumOf = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum + byte, 0) % 256;

/** A message of the hex mode is from a colon to the end of its line. */
function withoutHex(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let start = bytes.indexOf(HEX_START); start !== -1; start = bytes.indexOf(HEX_START, from)) {
    const end = bytes.indexOf(NEW_LINE, start);
    parts.push(bytes.subarray(from, start));
    from = end === -1 ? bytes.length : end + 1;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

function readFields(bytes: Buffer): VeDirectBlock | undefined {
  const lines = bytes.toString("latin1").split("\r\n");
  const fields = lines.slice(1).map((line) => line.split("\t"));
  const isField = ([label = "", value = "", ...more]: string[]) =>
    LABEL.test(label) && value.length <= MAX_VALUE && more.length === 0;
  if (lines[0] !== "" || fields.length === 0 || !fields.every(isField)) return undefined;
  return fields.map(([label = "", value = ""]) => [label, value]);
}
