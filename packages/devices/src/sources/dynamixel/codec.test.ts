import assert from "node:assert/strict";
import { test } from "node:test";
import { codecLaws, pick, type Random } from "../codec-laws.suite.ts";
import { type DxlInstruction, type DxlStatus, dxlInstructions, dxlStatuses } from "./codec.ts";

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex");
const byte = (random: Random) => Math.floor(random() * 256);
/** Often something that looks like a header. */
const bytes = (random: Random, length: number): number[] =>
  Array.from({ length }, () => pick(random, [0xff, 0xff, 0xfd, 0x00, byte(random)]));

// emanual.robotis.com/docs/en/dxl/protocol2: the examples of each instruction.
codecLaws<DxlInstruction>("Dynamixel instructions", dxlInstructions, {
  examples: [
    { bytes: hex("FF FF FD 00 01 03 00 01 19 4E"), message: { id: 1, instruction: "ping" } },
    { bytes: hex("FF FF FD 00 FE 03 00 01 31 42"), message: { id: 254, instruction: "ping" } },
    {
      bytes: hex("FF FF FD 00 01 07 00 02 84 00 04 00 1D 15"),
      message: { id: 1, instruction: "read", address: 132, length: 4 },
    },
    {
      bytes: hex("FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89"),
      message: { id: 1, instruction: "write", address: 116, data: [0, 2, 0, 0] },
    },
    { bytes: hex("FF FF FD 00 01 03 00 08 2F 4E"), message: { id: 1, instruction: "reboot" } },
    {
      bytes: hex("FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA"),
      message: { instruction: "sync-read", address: 132, length: 4, ids: [1, 2] },
    },
    {
      bytes: hex("FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87"),
      message: {
        ...{ instruction: "sync-write", address: 116 },
        each: [
          { id: 1, data: [150, 0, 0, 0] },
          { id: 2, data: [170, 0, 0, 0] },
        ],
      },
    },
  ],
  any(random) {
    const instruction = pick(random, ["ping", "read", "write", "sync-read", "sync-write"] as const);
    const [id, address, length] = [pick(random, [1, 2, 253]), byte(random), pick(random, [1, 2, 4])];
    if (instruction === "ping") return { id, instruction };
    if (instruction === "read") return { id, instruction, address, length };
    if (instruction === "write") return { id, instruction, address, data: bytes(random, length) };
    if (instruction === "sync-read") return { instruction, address, length, ids: [1, 2] };
    return { instruction, address, each: [1, 2, 3].map((one) => ({ id: one, data: bytes(random, length) })) };
  },
});

codecLaws<DxlStatus>("Dynamixel statuses", dxlStatuses, {
  examples: [
    { bytes: hex("FF FF FD 00 01 07 00 55 00 06 04 26 65 5D"), message: { id: 1, error: 0, data: [0x06, 0x04, 0x26] } },
    { bytes: hex("FF FF FD 00 02 07 00 55 00 06 04 26 6F 6D"), message: { id: 2, error: 0, data: [0x06, 0x04, 0x26] } },
    { bytes: hex("FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0"), message: { id: 1, error: 0, data: [166, 0, 0, 0] } },
    { bytes: hex("FF FF FD 00 02 08 00 55 00 1F 08 00 00 BA BE"), message: { id: 2, error: 0, data: [0x1f, 8, 0, 0] } },
    { bytes: hex("FF FF FD 00 01 04 00 55 00 A1 0C"), message: { id: 1, error: 0, data: [] } },
  ],
  any: (random) => ({ id: pick(random, [1, 2, 253]), error: pick(random, [0, 0x80, 7]), data: bytes(random, 8) }),
});

test("what looks like a header is stuffed, and a packet with a wrong sum is left out", () => {
  const message: DxlInstruction = { id: 1, instruction: "write", address: 0, data: [0xff, 0xff, 0xfd, 0xfd] };
  const written = Buffer.from(dxlInstructions.write(message));
  assert.ok(written.toString("hex").includes("fffffdfdfd"), written.toString("hex"));
  const wrong = Buffer.from(written).fill(0, written.length - 2);
  const reader = dxlInstructions.createReader();
  assert.deepEqual(reader.take(Buffer.concat([wrong, written])), [message]);
  assert.deepEqual(dxlStatuses.createReader().take(written), [], "an instruction that comes back is not an answer");
});
