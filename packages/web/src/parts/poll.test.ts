import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { poll } from "./poll.ts";

class Page extends EventTarget {
  hidden = false;

  show(visible: boolean) {
    this.hidden = !visible;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

/** Lets everything that is already settled run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function start(page = new Page()) {
  const asked: { signal: AbortSignal; answer: (value: string) => void; fail: () => void }[] = [];
  const heard: string[] = [];
  const stop = poll<string>({
    load: (signal) =>
      new Promise((resolve, reject) => {
        asked.push({ signal, answer: resolve, fail: () => reject(new Error("no answer")) });
      }),
    everyMs: 2_000,
    page: page as unknown as Document,
    onAnswer: (value) => heard.push(value),
    onSilence: () => heard.push("silence"),
  });
  return { page, asked, heard, stop };
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

test("loads at once and again two seconds after each answer", async () => {
  const { asked, heard } = start();
  assert.equal(asked.length, 1);

  mock.timers.tick(10_000);
  assert.equal(asked.length, 1, "an open request is not sent again");

  asked[0]?.answer("first");
  await settle();
  mock.timers.tick(1_999);
  assert.equal(asked.length, 1);
  mock.timers.tick(1);
  assert.equal(asked.length, 2);
  assert.deepEqual(heard, ["first"]);
});

test("keeps polling after a failure and recovers by itself", async () => {
  const { asked, heard } = start();
  asked[0]?.fail();
  await settle();
  mock.timers.tick(2_000);
  asked[1]?.answer("back");
  await settle();
  assert.deepEqual(heard, ["silence", "back"]);
});

test("a hidden page does not poll; a page that is shown again polls at once", async () => {
  const { page, asked, heard } = start();
  page.show(false);
  assert.equal(asked[0]?.signal.aborted, true);
  asked[0]?.fail();
  await settle();
  mock.timers.tick(60_000);
  assert.equal(asked.length, 1);
  assert.deepEqual(heard, [], "an aborted request is not a missing answer");

  page.show(true);
  assert.equal(asked.length, 2);
});

test("a page that opens hidden waits until it is shown", () => {
  const page = new Page();
  page.hidden = true;
  const { asked } = start(page);
  assert.equal(asked.length, 0);
  page.show(true);
  assert.equal(asked.length, 1);
});

test("after the stop nothing is loaded or reported, and the open request is aborted", async () => {
  const { page, asked, heard, stop } = start();
  stop();
  assert.equal(asked[0]?.signal.aborted, true);
  asked[0]?.answer("late");
  await settle();
  mock.timers.tick(60_000);
  page.show(true);
  assert.equal(asked.length, 1);
  assert.deepEqual(heard, []);
});
