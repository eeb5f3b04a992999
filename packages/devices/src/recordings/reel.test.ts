import assert from "node:assert/strict";
import { test } from "node:test";
import { openReel } from "./reel.ts";
import type { RecordingSource } from "./source.ts";
import { createTracks } from "./tracks.ts";

const MINUTE_MS = 60_000;
const AT_MS = 60 * MINUTE_MS;

/** One channel speaks every second, the other one spoke only once, eight minutes ago. */
function testReel() {
  const asked: { capability: string; minutes: number }[] = [];
  const source = {
    endMs: AT_MS,
    async *read({ channels }, fromMs, toMs) {
      for (const { device, capability } of channels) {
        asked.push({ capability, minutes: (toMs - fromMs) / MINUTE_MS });
        const stepMs = capability === "fast" ? 1_000 : 1e9;
        for (let tMs = capability === "fast" ? 0 : AT_MS - 8 * MINUTE_MS; tMs <= toMs; tMs += stepMs)
          if (tMs > fromMs) yield { sample: { device, capability, tMs, values: { v: 1 } } };
      }
    },
  } as Pick<RecordingSource, "endMs" | "read"> as RecordingSource;
  const tracks = createTracks({ fieldsOf: () => ({ v: { datatype: "number" } }) as never }, () => {});
  return { asked, tracks, reel: openReel({ source, tracks, isBroken: () => false, atMs: AT_MS }) };
}

const fast = { device: "d", capability: "fast" };
const slow = { device: "d", capability: "slow" };

test("of each channel only as much of the past is read as its readers want", async () => {
  const { asked, tracks, reel } = testReel();
  tracks.watch(fast, 10_000);
  await reel.load();
  assert.deepEqual(asked, [{ capability: "fast", minutes: 1 }]);
  assert.ok(reel.isLoaded());
  tracks.watch(fast, 5 * MINUTE_MS);
  assert.ok(!reel.isLoaded(), "a second reader wants more");
  await reel.load();
  assert.deepEqual(asked.at(-1), { capability: "fast", minutes: 5 });
  const ring = tracks.ring(fast);
  assert.equal(ring && ring.next - ring.first, 300);
  assert.ok(reel.isLoaded());
});

test("a channel that had nothing to say lately has its last value, however little is wanted", async () => {
  const { asked, tracks, reel } = testReel();
  tracks.watch(slow, 1_000);
  await reel.load();
  assert.deepEqual(asked, [
    { capability: "slow", minutes: 1 },
    { capability: "slow", minutes: 10 },
  ]);
  assert.equal(tracks.ring(slow)?.next, 1);
});
