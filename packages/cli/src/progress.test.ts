import assert from "node:assert/strict";
import { test } from "node:test";
import { openProgress } from "./progress.ts";

const CLEAR = "\r\x1b[K";

function follow(stream: { isTTY?: boolean; columns?: number }, isDumb = false) {
  let nowMs = 0;
  let written = "";
  const write = (text: string | Uint8Array) => {
    written += String(text);
    return true;
  };
  const progress = openProgress({ ...stream, write }, isDumb, () => nowMs);
  return {
    progress,
    pass: (ms: number) => {
      nowMs += ms;
    },
    written: () => {
      const text = written;
      written = "";
      return text;
    },
  };
}

test("on a terminal it is one line with a clock, and it leaves nothing behind", () => {
  const { progress, pass, written } = follow({ isTTY: true, columns: 80 });
  pass(12_400);
  progress.says("Waiting for your answer");
  assert.equal(written(), `${CLEAR}⠋ Waiting for your answer, 12 s`);
  pass(3 * 60_000);
  progress.says("Connection lost, trying again");
  assert.equal(written(), `${CLEAR}⠙ Connection lost, trying again, 3 min`);
  progress[Symbol.dispose]();
  assert.equal(written(), CLEAR);
});

test("work that is done at once is not shown", () => {
  const { progress, pass, written } = follow({ isTTY: true });
  progress.says("Connecting to the gateway");
  pass(200);
  progress.says("Still connecting");
  progress[Symbol.dispose]();
  assert.equal(written(), "");
});

test("a line is never as wide as the terminal, because it would wrap", () => {
  const { progress, pass, written } = follow({ isTTY: true, columns: 20 });
  pass(1_000);
  progress.says("Connection to the gateway lost, trying again");
  assert.equal(written().replace(CLEAR, "").length, 19);
  progress[Symbol.dispose]();
});

for (const [where, stream, isDumb] of [
  ["in a file", {}, false],
  ["on a terminal without cursor", { isTTY: true }, true],
] as const) {
  test(`${where} it is one line per change`, () => {
    const { progress, written } = follow(stream, isDumb);
    progress.says("Waiting for your answer");
    progress.says("Waiting for your answer");
    progress.says("Connection lost, trying again");
    progress[Symbol.dispose]();
    assert.equal(written(), "Waiting for your answer.\nConnection lost, trying again.\n");
  });
}
