import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DEVICES_LIMITS, type StreamStatus } from "@backplane/contract/devices";
import type { Picture } from "./picture.ts";
import { createPuller } from "./puller.ts";
import type { StreamEvents } from "./source.ts";

const { streamLingerMs, streamStartMs, streamSilentMs, sourceRetryMs } = DEVICES_LIMITS;
const KEY: Picture = { tMs: 0, isKey: true, units: [Buffer.from([0x65])] };
const NEXT: Picture = { tMs: 33, isKey: false, units: [Buffer.from([0x41])] };

function openForTest(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  const opened: { events: StreamEvents; isClosed: boolean }[] = [];
  const statuses: StreamStatus[] = [];
  const pictures: Picture[] = [];
  let ends = 0;
  const puller = createPuller({
    open(events) {
      const one = { events, isClosed: false };
      opened.push(one);
      return {
        close() {
          one.isClosed = true;
        },
      };
    },
    now: Date.now,
    onPicture: (picture) => pictures.push(picture),
    onStatus: (status) => statuses.push(status),
    onEnd: () => {
      ends += 1;
    },
  });
  const last = () => opened.at(-1) as (typeof opened)[number];
  return { puller, opened, last, statuses, pictures, ends: () => ends, tick: (ms: number) => t.mock.timers.tick(ms) };
}

test("the first viewer opens the stream, and others share it", async (t) => {
  const { puller, opened, last, pictures } = openForTest(t);
  const [first, second] = [puller.join(), puller.join()];
  assert.deepEqual([opened.length, puller.viewers(), puller.status().state], [1, 2, "connecting"]);
  last().events.codec({ name: "H.264", profile: "baseline" });
  last().events.picture(NEXT);
  assert.equal(pictures.length, 0, "nothing before the first key picture");
  last().events.picture(KEY);
  assert.deepEqual(await first.ready, { state: "playing", codec: "H.264", profile: "baseline" });
  assert.equal((await puller.join().ready).state, "playing");
  first.leave();
  first.leave();
  second.leave();
  assert.equal(puller.viewers(), 1);
});

test("it ends a while after the last viewer; one who comes before that keeps it open", (t) => {
  const { puller, last, ends, tick, opened } = openForTest(t);
  puller.join().leave();
  tick(streamLingerMs - 1);
  const late = puller.join();
  last().events.picture(KEY);
  tick(5_000);
  assert.deepEqual([ends(), last().isClosed], [0, false]);
  late.leave();
  tick(streamLingerMs);
  assert.deepEqual([ends(), last().isClosed, opened.length], [1, true, 1]);
});

test("it does not wait for a viewer that was silent before it left", (t) => {
  const { puller, last, ends, tick } = openForTest(t);
  const { leave } = puller.join();
  leave(true);
  leave();
  tick(1);
  assert.deepEqual([ends(), last().isClosed], [1, true]);
});

test("a stream that ends is opened again, less and less often, and is back by itself", async (t) => {
  const { puller, opened, last, statuses, tick } = openForTest(t);
  puller.join();
  last().events.picture(KEY);
  last().events.ended("ffmpeg has ended.");
  assert.deepEqual(puller.status(), { state: "refused", reason: "ffmpeg has ended." });
  tick(sourceRetryMs);
  assert.equal(opened.length, 2);
  last().events.ended("again");
  tick(sourceRetryMs);
  assert.equal(opened.length, 2, "twice as long");
  tick(sourceRetryMs);
  assert.equal(opened.length, 3);
  last().events.picture(KEY);
  assert.equal(puller.status().state, "playing");
  opened[0]?.events.ended("of a connection that is over");
  assert.equal(puller.status().state, "playing");
  assert.deepEqual(
    statuses.map(({ state }) => state),
    ["playing", "refused", "refused", "playing"],
  );
});

test("a stream without pictures is opened again; one that shows nothing at the start is said", async (t) => {
  const { puller, opened, last, tick } = openForTest(t);
  const { ready } = puller.join();
  tick(streamStartMs);
  const { state, reason } = await ready;
  assert.ok(state === "refused" && reason?.startsWith("No picture has come within"));
  last().events.picture(KEY);
  tick(streamSilentMs);
  assert.match(puller.status().reason ?? "", /has sent no picture/);
  assert.equal(last().isClosed, true);
  tick(sourceRetryMs);
  assert.equal(opened.length, 2);
});

test("a codec that browsers do not play is named; whoever comes next tries at once", async (t) => {
  const { puller, opened, last } = openForTest(t);
  const { ready } = puller.join();
  last().events.refused("H.265");
  const { state, fault, codec, reason } = await ready;
  assert.deepEqual({ state, fault, codec }, { state: "refused", fault: "codec", codec: "H.265" });
  assert.match(reason ?? "", /sends H\.265.*convert it here/);
  const { ready: again } = puller.join();
  assert.equal(opened.length, 2);
  last().events.picture(KEY);
  assert.equal((await again).state, "playing");
});

test("who waits is told when the stream is closed", async (t) => {
  const { puller, last } = openForTest(t);
  const { ready } = puller.join();
  puller.close();
  assert.equal((await ready).state, "refused");
  assert.equal(last().isClosed, true);
});
