import assert from "node:assert/strict";
import { test } from "node:test";
import type { WebviewFraming } from "@backplane/contract/panels";
import { createFramingWatch } from "./framing-watch.ts";

const URL_A = "https://a.example/x";
const refused: WebviewFraming = { framing: "refused", reason: "x-frame-options" };
const unreachable: WebviewFraming = { framing: "unknown", reason: "unreachable" };

/** The server answers when the test says so. */
function open() {
  const asked: { url: string; answer: (word: WebviewFraming | undefined) => Promise<void> }[] = [];
  const told: string[] = [];
  const clock = { nowMs: 0 };
  const watch = createFramingWatch({
    ask(url) {
      const { promise, resolve } = Promise.withResolvers<WebviewFraming | undefined>();
      const answer = async (word: WebviewFraming | undefined) => {
        resolve(word);
        await promise;
      };
      asked.push({ url, answer });
      return promise;
    },
    onFault: ({ code }) => told.push(code),
    onLikelyShown: () => told.push("shown"),
    now: () => clock.nowMs,
  });
  const say = (word: WebviewFraming | undefined, index = asked.length - 1) => asked[index]?.answer(word);
  return { watch, asked, told, say, clock };
}

test("a site that refuses frames is reported at once, whether or not the load has ended", async () => {
  for (const isLoaded of [false, true]) {
    const { watch, told, say } = open();
    watch.begin(URL_A);
    if (isLoaded) watch.ended("loaded");
    assert.equal(watch.isPending(), true);
    await say(refused);
    assert.deepEqual([told, watch.isPending()], [["framing-refused"], false]);
    watch.ended("loaded");
    assert.equal(told.length, 1, "and once");
  }
});

test("an unreachable site is reported when the load has ended, in either order", async () => {
  const first = open();
  first.watch.begin(URL_A);
  await first.say(unreachable);
  assert.deepEqual(first.told, []);
  first.watch.ended("loaded");
  assert.deepEqual(first.told, ["unreachable"]);
  const second = open();
  second.watch.begin(URL_A);
  second.watch.ended("loaded");
  await second.say(unreachable);
  assert.deepEqual(second.told, ["unreachable"]);
});

test("a site that is slow for the server is reported only if it is slow for the browser, too", async () => {
  const { watch, told, say } = open();
  const late: WebviewFraming = { framing: "unknown", reason: "timeout" };
  watch.begin(URL_A);
  await say(late);
  watch.ended("loaded");
  assert.deepEqual(told, []);
  watch.begin(URL_A);
  watch.ended("gave-up");
  await say(late);
  assert.deepEqual(told, ["timeout"]);
});

test("nothing is reported about an address that the server may not check, or without an answer", async () => {
  const unknown = open();
  unknown.watch.begin(URL_A);
  unknown.watch.ended("loaded");
  await unknown.say({ framing: "unknown", reason: null });
  assert.deepEqual([unknown.told, unknown.watch.isLikelyShown()], [[], false]);
  const { watch, told, say } = open();
  watch.begin(URL_A);
  watch.ended("gave-up");
  await say(undefined);
  assert.deepEqual([told, watch.isLikelyShown()], [[], false]);
  watch.begin(URL_A);
  await say({ framing: "allowed", reason: null });
  assert.deepEqual([told, watch.isLikelyShown()], [["shown"], true]);
});

test("nobody is asked whether a page of their own machine or network is blank", async () => {
  const { watch, told, say } = open();
  watch.begin("http://localhost:3000/");
  watch.ended("loaded");
  assert.equal(watch.isLikelyShown(), false, "before the answer");
  await say({ framing: "unknown", reason: "private-address" });
  assert.deepEqual([told, watch.isLikelyShown()], [["shown"], true]);
});

test("an answer about an earlier page is ignored", async () => {
  const { watch, told, say } = open();
  watch.begin(URL_A);
  watch.begin("https://b.example/");
  await say(refused, 0);
  watch.forget();
  await say(refused, 1);
  assert.deepEqual(told, []);
});

test("a site that is shown anyway is not checked again; others are", () => {
  const { watch, asked } = open();
  watch.waive(URL_A);
  watch.begin("https://a.example/other");
  assert.equal(watch.isPending(), false);
  watch.begin("https://b.example/");
  assert.deepEqual(
    asked.map(({ url }) => url),
    ["https://b.example/"],
  );
});

test("an allowed page is not checked again for a minute", async () => {
  const { watch, asked, say, clock } = open();
  watch.begin(URL_A);
  await say({ framing: "allowed", reason: null });
  watch.ended("loaded");
  clock.nowMs = 59_999;
  watch.begin(URL_A);
  assert.deepEqual([asked.length, watch.isPending(), watch.isLikelyShown()], [1, false, true]);
  watch.ended("loaded");
  clock.nowMs = 60_000;
  watch.begin(URL_A);
  assert.equal(asked.length, 2);
});
