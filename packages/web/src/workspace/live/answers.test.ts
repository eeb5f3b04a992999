import assert from "node:assert/strict";
import { test } from "node:test";
import { SOCKET_LIMITS } from "@backplane/contract/panels";
import { createAnswers } from "./answers.ts";

function open(takesLists = true) {
  const sent: string[] = [];
  const turns: (() => void)[] = [];
  const state = { isBusy: false };
  const answers = createAnswers({
    send: (text) => void sent.push(text),
    isBusy: () => state.isBusy,
    nextTurn: (callback) => void turns.push(callback),
  });
  answers.begin(takesLists);
  return { answers, sent, turns, state };
}

test("an answer that nothing follows is sent at once", () => {
  const { answers, sent, turns } = open();
  answers.send("1");
  assert.deepEqual([sent, turns.length], [["1"], 0]);
});

test("while more is being done, answers go out together: in the next turn, or with the last of them", () => {
  const { answers, sent, turns, state } = open();
  state.isBusy = true;
  answers.send("1");
  answers.send("2");
  assert.deepEqual([sent, turns.length], [[], 1]);
  turns.shift()?.();
  assert.deepEqual(sent, ["[1,2]"]);
  answers.send("3");
  state.isBusy = false;
  answers.send("4");
  assert.equal(sent[1], "[3,4]");
  turns.shift()?.();
  assert.equal(sent.length, 2);
});

test("long answers go alone, lists are bounded, and a server that does not take lists gets none", () => {
  const { answers, sent, state } = open();
  state.isBusy = true;
  const long = "x".repeat(SOCKET_LIMITS.maxListedAnswer + 1);
  answers.send(long);
  assert.deepEqual(sent, [long]);
  for (let n = 0; n < SOCKET_LIMITS.maxListed; n += 1) answers.send("1");
  assert.equal(JSON.parse(sent[1] ?? "").length, SOCKET_LIMITS.maxListed);
  answers.send("left behind");
  answers.begin(false);
  answers.send("2");
  assert.equal(sent[2], "2");
});
