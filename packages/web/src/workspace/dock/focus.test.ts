import assert from "node:assert/strict";
import { test } from "node:test";
import { enterWhenReady, READY_WITHIN_MS } from "./focus.ts";

function stage({ readyAfter = 0, stepMs = 16 }) {
  const now = { ms: 0, focus: "tab", tries: 0, waiting: undefined as (() => void) | undefined };
  enterWhenReady({
    isWaiting: () => now.focus === "tab",
    enter: () => {
      now.tries += 1;
      if (now.tries > readyAfter) now.focus = "panel";
    },
    later: (again) => {
      now.waiting = again;
    },
    now: () => now.ms,
  });
  return {
    now,
    step() {
      const work = now.waiting;
      now.waiting = undefined;
      now.ms += stepMs;
      work?.();
    },
  };
}

test("the focus goes into the panel as soon as it can, and then the attempts end", () => {
  const { now, step } = stage({ readyAfter: 2 });
  for (let count = 0; count < 5; count++) step();
  assert.deepEqual([now.focus, now.tries, now.waiting], ["panel", 3, undefined]);
});

test("a user who has moved elsewhere in the meantime is left alone", () => {
  const { now, step } = stage({ readyAfter: 10 });
  step();
  now.focus = "elsewhere";
  step();
  assert.deepEqual([now.focus, now.tries, now.waiting], ["elsewhere", 1, undefined]);
});

test("a panel that never takes the focus is given up", () => {
  const { now, step } = stage({ readyAfter: Number.POSITIVE_INFINITY, stepMs: READY_WITHIN_MS / 2 });
  for (let count = 0; count < 5; count++) step();
  assert.deepEqual([now.focus, now.tries, now.waiting], ["tab", 2, undefined]);
});
