import assert from "node:assert/strict";
import { test } from "node:test";
import { createIntake, MAX_MESSAGES_PER_SECOND } from "./intake.ts";

function underTest() {
  let nowMs = 0;
  let due: { run: () => void; atMs: number } | undefined;
  const heard: string[] = [];
  const intake = createIntake({
    now: () => nowMs,
    setTimer(run, afterMs) {
      due = { run, atMs: nowMs + afterMs };
      return () => {
        due = undefined;
      };
    },
  });
  return {
    heard,
    intake,
    say: (kind: string, text: string) => intake.take(kind, () => heard.push(text)),
    pass(ms: number) {
      nowMs += ms;
      if (due && due.atMs <= nowMs) {
        const { run } = due;
        due = undefined;
        run();
      }
    },
  };
}

test("what comes at a pace that people make is heard at once and in order", () => {
  const { heard, say, pass } = underTest();
  for (let n = 0; n < 1_000; n += 1) {
    say("scroll", String(n));
    pass(16);
  }
  assert.deepEqual(
    heard,
    Array.from({ length: 1_000 }, (_, n) => String(n)),
  );
});

test("of a flood the last of each kind is heard, in the order they came, when the second is over", () => {
  const { heard, say, pass } = underTest();
  for (let n = 0; n < 5_000; n += 1) say("page", `page ${n}`);
  say("title", "title 1");
  say("page", "page last");
  say("title", "title last");
  assert.equal(heard.length, MAX_MESSAGES_PER_SECOND);
  pass(1_000);
  assert.deepEqual(heard.slice(MAX_MESSAGES_PER_SECOND), ["page last", "title last"]);
  say("page", "and on");
  assert.equal(heard.at(-1), "and on");
});

test("after it was closed nothing is heard late", () => {
  const { heard, say, pass, intake } = underTest();
  for (let n = 0; n < 5_000; n += 1) say("page", `page ${n}`);
  intake.close();
  pass(2_000);
  assert.equal(heard.length, MAX_MESSAGES_PER_SECOND);
});
