import assert from "node:assert/strict";
import test from "node:test";
import { drawBar, showProgress } from "./progress.mjs";

const bar = (done: number) => drawBar({ unit: "packages", total: 8, done: () => done });

test("a bar fills with what is done, and never overflows", () => {
  assert.equal(bar(0), `${"░".repeat(24)} 0 of 8 packages`);
  assert.equal(bar(4), `${"█".repeat(12)}${"░".repeat(12)} 4 of 8 packages`);
  assert.equal(bar(9), `${"█".repeat(24)} 8 of 8 packages`);
});

test("without a terminal it is one line when the work begins and one when it is done", async () => {
  const lines: string[] = [];
  let nowMs = 0;
  const work = async () => {
    nowMs = 1_500;
  };
  const stream = { write: (text: string) => lines.push(text) };
  await showProgress(stream, "Installing", { unit: "packages", total: 8, done: () => 0 }, work, () => nowMs);
  assert.deepEqual(lines, ["Installing …\n", "Installing: done in 1.5 s.\n"]);
});

test("in a terminal one line is drawn again, and work that fails is not called done", async () => {
  let text = "";
  const stream = {
    isTTY: true,
    write(part: string) {
      text += part;
    },
  };
  const failing = () => Promise.reject(new Error("work"));
  await assert.rejects(
    showProgress(stream, "Installing", { unit: "packages", total: 8, done: () => 2 }, failing),
    /work/,
  );
  assert.ok(text.startsWith("\r\u001b[KInstalling ██████░"));
  assert.ok(text.endsWith("2 of 8 packages\n"));
  assert.doesNotMatch(text, /done/);
});
