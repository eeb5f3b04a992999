import assert from "node:assert/strict";
import { test } from "node:test";
import { codecLaws, pick } from "../codec-laws.suite.ts";
import { type VeDirectBlock, veDirectBlocks } from "./codec.ts";

const bytesOf = (lines: string, checksum: number) =>
  Buffer.concat([
    Buffer.from(
      `\r\n${lines
        .trim()
        .split(/\s*\n\s*/)
        .join("\r\n")
        .replaceAll("|", "\t")}\r\nChecksum\t`,
    ),
    Buffer.of(checksum),
  ]);

/** The example in Victron's "VE.Direct Protocol", whose checksum is printed as Ø. */
const BMV700 = bytesOf(
  `PID|0x203
  V|26201
  I|0
  P|0
  CE|0
  SOC|1000
  TTG|-1
  Alarm|OFF
  Relay|OFF
  AR|0
  BMV|700
  FW|0307`,
  0xd8,
);

const block: VeDirectBlock = [
  ...[["PID", "0x203"] as const, ["V", "26201"] as const, ["I", "0"] as const, ["P", "0"] as const],
  ...[["CE", "0"] as const, ["SOC", "1000"] as const, ["TTG", "-1"] as const, ["Alarm", "OFF"] as const],
  ...[["Relay", "OFF"] as const, ["AR", "0"] as const, ["BMV", "700"] as const, ["FW", "0307"] as const],
];

codecLaws<VeDirectBlock>("VE.Direct", veDirectBlocks, {
  examples: [
    { bytes: BMV700, message: block },
    // A message of the hex mode in the middle.
    {
      bytes: Buffer.concat([BMV700.subarray(0, 30), Buffer.from(":7F0ED0096C2\n"), BMV700.subarray(30)]),
      message: block,
      isReadOnly: true,
    },
  ],
  any: (random) =>
    Array.from({ length: 1 + Math.floor(random() * 20) }, () => [
      pick(random, ["V", "I", "SER#", "SOC", "H19", "MPPT"]),
      pick(random, [String(Math.floor(random() * 1e5) - 5e4), "ON", "", "HQ2136ABCDE", "0xA381"]),
    ]),
});

test("a block whose sum is not 0, and one that is not fields, are refused", () => {
  const reader = veDirectBlocks.createReader();
  const wrong = Buffer.from(BMV700);
  wrong[8] = (wrong[8] as number) ^ 1;
  assert.deepEqual(reader.take(wrong), []);
  assert.deepEqual(reader.take(veDirectBlocks.write([["Not a label", "1"]])), []);
  assert.deepEqual(reader.take(veDirectBlocks.write([["V", "x".repeat(65)]])), []);
  assert.equal(reader.refused, 3);
  assert.deepEqual(reader.take(BMV700), [block]);
});
