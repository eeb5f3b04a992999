import assert from "node:assert/strict";
import { test } from "node:test";
import { createFloodMeter } from "./flood.ts";
import { createRetained } from "./retained.ts";

/** Sends `perSecond` messages in each of the given seconds and says what the last of each was. */
function send(meter: ReturnType<typeof createFloodMeter>, seconds: readonly number[], perSecond: number): string[] {
  return seconds.map((second) => {
    let said = "";
    for (let n = 0; n < perSecond; n += 1) said = meter(second * 1_000 + Math.floor((n * 1_000) / perSecond));
    return said;
  });
}

test("what is beyond the limit for ten seconds is a flood", () => {
  const meter = createFloodMeter({ maxPerSecond: 10, floodMs: 10_000 });
  const seconds = Array.from({ length: 12 }, (_, second) => second);
  assert.deepEqual(send(meter, seconds, 20), [...Array(10).fill("beyond"), "flood", "flood"]);
});

test("one second within the limit, or of silence, begins the count again", () => {
  for (const quiet of [10, 0]) {
    const meter = createFloodMeter({ maxPerSecond: 10, floodMs: 3_000 });
    assert.deepEqual(send(meter, [0, 1, 2], 20), ["beyond", "beyond", "beyond"]);
    send(meter, [3], quiet);
    assert.deepEqual(send(meter, [4, 5, 6, 7], 20), ["beyond", "beyond", "beyond", "flood"]);
  }
});

test("the messages that a broker keeps are bounded in number and size; an empty one makes room", () => {
  const retained = createRetained({ bytes: 0 }, { maxTopics: 2, maxBytes: 10 });
  assert.deepEqual(
    [retained.keep("a", 4), retained.keep("b", 4), retained.keep("c", 1), retained.keep("a", 7)],
    [true, true, false, false],
  );
  assert.deepEqual([retained.keep("a", 6), retained.keep("b", 0), retained.keep("c", 4)], [true, true, true]);
});

test("all brokers together keep a limited number of bytes, and one that closes makes room", () => {
  const ofAll = { bytes: 0 };
  const [first, second] = [createRetained(ofAll, { maxBytesOfAll: 10 }), createRetained(ofAll, { maxBytesOfAll: 10 })];
  assert.deepEqual([first.keep("a", 6), second.keep("a", 5), second.keep("a", 4)], [true, false, true]);
  first.close();
  assert.deepEqual([second.keep("a", 10), ofAll.bytes], [true, 10]);
});
