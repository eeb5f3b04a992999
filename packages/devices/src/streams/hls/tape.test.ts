import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Picture } from "../picture.ts";
import { PLAYLIST } from "./files.ts";
import { pictureSizeOf } from "./picture-size.ts";
import { createTape, type Tape } from "./tape.ts";

const AT_MS = Date.UTC(2026, 10, 17, 12);
/** 640 × 360, baseline; and 1920 × 1080, high: both have rows that are cut off. */
const SPS = Buffer.from("Z0LAHtoCgL/lwEQAAAMABAAAAwDyPFi6gA==", "base64");
const HIGH = Buffer.from("Z2QAKKzZQHgCJ+XARAAAAwAEAAADAPA8YMZY", "base64");
const PPS = Buffer.from("aM48gA==", "base64");

const pictureAt = (ms: number, isKey: boolean, sequence = SPS, bytes = 100): Picture => ({
  ...{ tMs: AT_MS + ms, isKey },
  units: isKey ? [sequence, PPS, Buffer.alloc(bytes, 0x65)] : [Buffer.alloc(bytes, 0x41)],
});

/** 25 pictures per second, a key picture per second. */
function play(tape: Tape, fromS: number, toS: number, { sequence = SPS, bytes = 100 } = {}): void {
  for (let i = 0; i < 25 * (toS - fromS); i += 1)
    tape.take(pictureAt(fromS * 1_000 + i * 40, i % 25 === 0, sequence, bytes));
}
const linesOf = (tape: Tape): string[] => (tape.file(PLAYLIST)?.bytes.toString() ?? "").trim().split("\n");
const partsOf = (tape: Tape): string[] => linesOf(tape).filter((line) => line.endsWith(".m4s"));

test("the size of pictures is in their parameters", () => {
  assert.deepEqual(pictureSizeOf(SPS), { width: 640, height: 360 });
  assert.deepEqual(pictureSizeOf(HIGH), { width: 1_920, height: 1_080 });
  assert.equal(pictureSizeOf(Buffer.from([0x67])), undefined);
  assert.equal(pictureSizeOf(Buffer.alloc(40)), undefined);
  assert.deepEqual(pictureSizeOf(Buffer.concat([SPS, Buffer.alloc(16_000, 1)])), { width: 640, height: 360 });
});

test("parts begin with key pictures and say when they were", async () => {
  const tape = createTape(() => 1e9);
  play(tape, 0, 4);
  await tape.ready;
  assert.deepEqual(partsOf(tape), ["part-0.m4s", "part-1.m4s", "part-2.m4s"]);
  const lines = linesOf(tape);
  assert.ok(lines.includes('#EXT-X-MAP:URI="init-0.mp4"') && lines.includes("#EXT-X-TARGETDURATION:1"));
  assert.ok(lines.includes("#EXT-X-PROGRAM-DATE-TIME:2026-11-17T12:00:02.000Z"));
  assert.equal(lines.filter((line) => line === "#EXTINF:1.000,").length, 3);
  assert.equal(tape.file("init-0.mp4")?.bytes.toString("latin1", 4, 8), "ftyp");
  const part = tape.file("part-1.m4s")?.bytes;
  assert.ok(part);
  assert.equal(part.toString("latin1", 4, 8), "moof");
  // Of 25 pictures with four bytes before each; the parameters are in the beginning of the file only.
  const data = part.subarray(part.readUInt32BE(0));
  assert.deepEqual([data.toString("latin1", 4, 8), data.length], ["mdat", 8 + 25 * 104]);
  assert.equal(tape.file("part-9.m4s"), undefined);
  assert.equal(tape.file("../secret"), undefined);
});

test("a minute is kept, and less when it takes too much memory", () => {
  const tape = createTape(() => 1e9);
  play(tape, 0, 90);
  const minute = partsOf(tape);
  assert.deepEqual([minute.length, minute.at(-1)], [61, "part-88.m4s"]);
  assert.ok(linesOf(tape).includes("#EXT-X-MEDIA-SEQUENCE:28"));
  assert.equal(tape.file("part-27.m4s"), undefined);
  const small = createTape(() => 300_000);
  play(small, 0, 30, { bytes: 2_000 });
  assert.equal(partsOf(small).length, 5);
});

test("other parameters and a camera that was away are marked", () => {
  const tape = createTape(() => 1e9);
  play(tape, 0, 2);
  play(tape, 2, 4, { sequence: HIGH });
  play(tape, 20, 22, { sequence: HIGH });
  const lines = linesOf(tape);
  assert.equal(lines.filter((line) => line === "#EXT-X-DISCONTINUITY").length, 2);
  assert.ok(lines.includes('#EXT-X-MAP:URI="init-1.mp4"'));
  assert.equal(
    Math.max(...lines.filter((line) => line.startsWith("#EXTINF:")).map((line) => Number(line.slice(8, -1)))),
    1,
  );
});

test("a camera with few key pictures is cut without them; one without parameters shows nothing", () => {
  const tape = createTape(() => 1e9);
  for (let i = 0; i < 25 * 25; i += 1) tape.take(pictureAt(i * 40, i === 0));
  assert.equal(partsOf(tape).length, 2);
  assert.equal(tape.longestMs(), DEVICES_LIMITS.maxHlsPartMs);
  const bare = createTape(() => 1e9);
  for (let i = 0; i < 100; i += 1) bare.take({ tMs: i * 40, isKey: i % 25 === 0, units: [Buffer.from([0x65])] });
  assert.deepEqual(partsOf(bare), []);
});

test("a camera with other parameters in every picture takes a limited amount of memory", () => {
  const tape = createTape(() => 1e9);
  play(tape, 0, 3);
  for (let i = 0; i < 500; i += 1) {
    const sequence = Buffer.concat([SPS, Buffer.alloc(1_000, 1 + (i % 250)), Buffer.from([i >> 8, i & 255])]);
    tape.take(pictureAt(3_000 + 10 * i, true, sequence));
  }
  const known = Array.from({ length: 501 }, (_, i) => `init-${i}.mp4`).filter((name) => tape.file(name) !== undefined);
  assert.deepEqual([known.length, known.at(-1)], [32, "init-500.mp4"]);
  const named = linesOf(tape).flatMap((line) => /URI="(.*)"/.exec(line)?.[1] ?? []);
  for (const name of named) assert.ok(known.includes(name), name);
});
