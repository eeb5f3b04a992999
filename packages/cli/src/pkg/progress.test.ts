import assert from "node:assert/strict";
import { test } from "node:test";
import type { Progress } from "@backplane/registry/manager";
import { showProgress } from "../progress.ts";

function shown(options: { isTTY: boolean; isQuiet?: boolean }) {
  let text = "";
  const stream = {
    isTTY: options.isTTY,
    columns: 200,
    write: (piece: string) => {
      text += piece;
      return true;
    },
  };
  const progress = showProgress(stream as never, { isDumb: false, isQuiet: options.isQuiet === true });
  return { progress, text: () => text };
}

const unpack = (done: number): Progress => ({ kind: "unpack", identifier: "org.example.a", done, total: 15_000 });
const copy = (done: number): Progress => ({ kind: "mirror", identifier: "org.example.a", done, total: 3 });
const fetched = (identifier: string, done: number): Progress => ({ kind: "download", identifier, done, total: 2_000 });

test("without a terminal each step is one line, however often it counts", () => {
  const { progress, text } = shown({ isTTY: false });
  for (const step of [fetched("org.example.a", 0), fetched("org.example.a", 2_000), unpack(5), unpack(15_000)]) {
    progress.show(step);
  }
  for (const done of [1, 2]) progress.counts("Reading 2 archives", `, ${done} done`);
  assert.equal(text(), "Downloading org.example.a, 2.0 KB.\nUnpacking org.example.a, 15 KB.\nReading 2 archives.\n");
});

test("steps that alternate are printed once each", () => {
  const { progress, text } = shown({ isTTY: false });
  for (const step of [copy(0), fetched("a", 0), copy(1), fetched("b", 0), copy(2)]) progress.show(step);
  assert.equal(text(), "Copying 3 versions.\nDownloading a, 2.0 KB.\nDownloading b, 2.0 KB.\n");
});

test("text from a repository cannot add a line or move the cursor", () => {
  const { progress, text } = shown({ isTTY: false });
  progress.show({ kind: "refresh", repository: "evil\x1b[2J\nInstalled everything", done: 0, total: 1 });
  assert.equal(text(), "Reading the list of evil [2J Installed everything.\n");
});

test("with --json nothing is printed", () => {
  const { progress, text } = shown({ isTTY: true, isQuiet: true });
  progress.show(unpack(1));
  progress.says("Sending");
  progress.counts("Reading", ", 1 done");
  progress[Symbol.dispose]();
  assert.equal(text(), "");
});
