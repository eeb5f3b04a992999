import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FrameReader } from "./frames.ts";
import { encodeFrame, encodeText, OPCODE } from "./testing/client-frames.ts";
import { recordingSink } from "./testing/recording-sink.ts";

const LIMITS = { maxPayloadBytes: 8 * 1024, maxSkippedBytes: 1024 * 1024 };
const READERS = 200;
/** A reader itself, and what the engine rounds up. */
const OVERHEAD_BYTES = 2 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Buffers are freed in the background, so one collection does not show it. */
async function usedBytes(): Promise<number> {
  for (let i = 0; i < 4; i += 1) {
    collectGarbage();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What each of many readers holds after it has read this. */
async function heldBytes(chunk: Buffer): Promise<number> {
  const sink = recordingSink();
  const before = await usedBytes();
  const readers = Array.from({ length: READERS }, () => new FrameReader(LIMITS));
  for (const reader of readers) reader.read(Buffer.from(chunk), sink);
  const held = (await usedBytes()) - before;
  assert.ok(readers.every((reader) => !reader.isAtRest));
  return held / READERS;
}

test("a flood of tiny fragments costs their bytes, not an object each", async () => {
  const first = encodeFrame({ opcode: OPCODE.text, payload: "x", isLast: false });
  const tiny = encodeFrame({ opcode: OPCODE.continuation, payload: "x", isLast: false });
  const empty = encodeFrame({ opcode: OPCODE.continuation, isLast: false });
  const flood = Buffer.concat([first, ...Array(2_000).fill(tiny), ...Array(5_000).fill(empty)]);
  const held = await heldBytes(flood);
  assert.ok(held < 2 * 2_001 + OVERHEAD_BYTES, `${held} bytes for 2,001`);
});

test("a payload that is announced and never sent costs nothing", async () => {
  const held = await heldBytes(encodeText("x".repeat(8 * 1024)).subarray(0, 9));
  assert.ok(held < OVERHEAD_BYTES, `${held} bytes`);
});

test("a refused message is not kept", async () => {
  const tooLarge = encodeText("x".repeat(500_000)).subarray(0, 400_000);
  const held = await heldBytes(tooLarge);
  assert.ok(held < OVERHEAD_BYTES, `${held} bytes`);
});

test("a long message that arrives byte by byte is not copied over and over", () => {
  const sink = recordingSink();
  const reader = new FrameReader({ maxPayloadBytes: 4_000_000, maxSkippedBytes: 4_000_000 });
  const stream = encodeText("x".repeat(4_000_000));
  // With one copy per byte this would move 8 TB.
  for (let i = 0; i < stream.length; i += 1) reader.read(stream.subarray(i, i + 1), sink);
  assert.deepEqual(
    sink.heard.map((event) => "text" in event && event.text.length),
    [4_000_000],
  );
});
