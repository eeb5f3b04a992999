import assert from "node:assert/strict";
import { test } from "node:test";
import { codecLaws, type Random } from "../codec-laws.suite.ts";
import { type KissFrame, kissFrames } from "./codec.ts";

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex");
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1));

// By hand from "KISS ESC onewire telemetry protocol" (Flyduino), which has no example; checksum by its bit loop in Python.
codecLaws<KissFrame>("KISS telemetry", kissFrames, {
  examples: [
    {
      bytes: hex("23 06 4C 03 4D 00 7B 01 5B 69"),
      message: { temperatureC: 35, voltageV: 16.12, currentA: 8.45, consumedMah: 123, erpm: 34_700 },
    },
  ],
  any: (random) => ({
    ...{ temperatureC: upTo(random, 120), voltageV: (1 + upTo(random, 6_000)) / 100 },
    ...{ currentA: upTo(random, 20_000) / 100, consumedMah: upTo(random, 5_000), erpm: 100 * upTo(random, 2_000) },
  }),
});

test("a quiet line is not telemetry, and a frame is found behind noise", () => {
  const reader = kissFrames.createReader();
  assert.deepEqual(reader.take(Buffer.alloc(25)), []);
  const frame = { temperatureC: 20, voltageV: 12, currentA: 1, consumedMah: 5, erpm: 1_000 };
  assert.deepEqual(reader.take(kissFrames.write(frame)), [frame]);
});
