import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeEvent } from "@backplane/kit/sse";

const { createEventReader, createRetryWait, delayAfter, followEvents } = await import(
  new URL("live-updates.js", import.meta.url).href
);

test("events are read as the viewer writes them, in pieces of any size", () => {
  const text = `: ping\nretry: 2000\n${encodeEvent("hello", "")}: ping\n${encodeEvent("paste", '{"id":"ü"}')}${encodeEvent("removed", "a\nb")}`;
  for (const size of [1, 3, 7, text.length]) {
    const events: string[][] = [];
    const read = createEventReader((name: string, data: string) => events.push([name, data]));
    for (let at = 0; at < text.length; at += size) read(text.slice(at, at + size));
    assert.deepEqual(
      events,
      [
        ["hello", ""],
        ["paste", '{"id":"ü"}'],
        ["removed", "a\nb"],
      ],
      `pieces of ${size}`,
    );
  }
});

test("lines may end in CR, LF or both", () => {
  const events: string[][] = [];
  const read = createEventReader((name: string, data: string) => events.push([name, data]));
  read("event: a\r\ndata: 1\r");
  read("\n\r\ndata: 2\n\n");
  assert.deepEqual(events, [
    ["a", "1"],
    ["message", "2"],
  ]);
});

test("an endless event is cut off", () => {
  const read = createEventReader(() => {});
  assert.throws(() => {
    for (let times = 0; times < 20; times += 1) read("x".repeat(100_000));
  }, RangeError);
});

test("connecting again waits 1 s, then twice as long each time, at most 15 s", () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 50].map((failures) => delayAfter(failures)),
    [1_000, 2_000, 4_000, 8_000, 15_000, 15_000],
  );
});

test("a wait ends early when the viewer is known to be there, except for the shortest", async () => {
  const ended: number[] = [];
  const retry = createRetryWait(
    (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => {
          ended.push(ms);
          resolve();
        });
      }),
  );
  retry.endNow();
  const { signal } = new AbortController();
  const longest = retry.wait(15_000, signal);
  retry.endNow();
  await longest;
  const leaving = new AbortController();
  const shortest = retry.wait(1_000, leaving.signal);
  retry.endNow();
  assert.deepEqual(ended, [15_000]);
  leaving.abort();
  await shortest;
  assert.deepEqual(ended, [15_000, 1_000]);
});

const streamOf = (text: string) => ({
  body: new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  }),
});

test("a stream that ends is opened again; after it opened, waits start with the shortest", async () => {
  const ending = new AbortController();
  const waits: number[] = [];
  const events: string[] = [];
  const answers = ["fail", "fail", encodeEvent("paste", "1"), "fail"];
  await followEvents({
    open: async () => {
      const answer = answers.shift();
      if (answer === undefined) ending.abort();
      if (answer === undefined || answer === "fail") throw new Error("away");
      return streamOf(answer);
    },
    onOpen: () => {},
    onEvent: (name: string) => events.push(name),
    onLost: () => {},
    signal: ending.signal,
    wait: async (ms: number) => {
      waits.push(ms);
    },
  });
  assert.deepEqual(events, ["paste"]);
  assert.deepEqual(waits, [1_000, 2_000, 1_000, 2_000]);
});

test("a stream is not opened again after a final failure", async () => {
  let times = 0;
  await followEvents({
    open: async () => {
      times += 1;
      throw new Error("token");
    },
    onOpen: () => {},
    onEvent: () => {},
    onLost: () => "give-up",
    signal: new AbortController().signal,
    wait: async () => {},
  });
  assert.equal(times, 1);
});
