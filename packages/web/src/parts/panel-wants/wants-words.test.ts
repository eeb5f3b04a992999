import assert from "node:assert/strict";
import { test } from "node:test";
import { wantLines, wantsInShort } from "./wants-words.ts";

const NOTHING = { read: [], control: [], files: [], tools: [] };

test("every kind of want has a line, also when the answer is nothing", () => {
  assert.deepEqual(
    wantLines(NOTHING).map(({ name, isNone }) => [name, isNone]),
    ["Reads", "Controls", "Files", "Agents", "Programs", "Network"].map((name) => [name, true]),
  );
  assert.equal(wantsInShort(NOTHING), "wants nothing");
});

test("what is wanted is named", () => {
  const wants = { read: ["imu", "motor"], control: ["motor"], files: ["write:out/*"], tools: ["peak"] };
  const [reads, controls, files, agents, programs, network] = wantLines(wants).map(({ words }) => words);
  assert.match(reads ?? "", /^Values of imu and motor\. No other/);
  assert.match(controls ?? "", /^motor\. You still take control/);
  assert.equal(files, "Reads nothing. Writes out/*.");
  assert.match(agents ?? "", /may call peak/);
  assert.equal(programs, "They cannot run code in it.");
  assert.match(network ?? "", /^None/);
  assert.equal(wantsInShort({ ...wants, read: ["*"] }), "reads all devices · controls motor · files: write out/*");
  assert.match(wantLines({ ...NOTHING, eval: true }).at(-2)?.words ?? "", /run code of their own in it/);
  assert.equal(wantsInShort({ ...NOTHING, eval: true }), "runs code of programs");
});
