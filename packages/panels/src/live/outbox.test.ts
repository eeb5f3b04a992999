import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { BrowserConnection } from "./browser.ts";
import { createOutbox } from "./outbox.ts";

function open(maxListed = 100) {
  const sent: string[] = [];
  const state = { isGone: false };
  const connection = {
    send(text: string) {
      if (!state.isGone) sent.push(text);
      return !state.isGone;
    },
  } as unknown as BrowserConnection;
  const outbox = createOutbox(maxListed);
  return { sent, state, send: (text: string, options = {}) => outbox.send(connection, text, options) };
}

test("what may not wait goes out at once; what may wait goes out with the rest of its turn, as one list", async () => {
  const { sent, send } = open();
  send("1");
  assert.deepEqual(sent, ["1"]);
  send("2", { mayWait: true });
  send("3", { mayWait: true });
  assert.deepEqual(sent, ["1"]);
  await turn();
  assert.deepEqual(sent, ["1", "[2,3]"]);
  send("4", { mayWait: true });
  await turn();
  assert.equal(sent[2], "4", "one alone is not a list");
});

test("nothing overtakes what is held, so that an order is there before it is withdrawn", async () => {
  const { sent, send } = open();
  send("1", { mayWait: true });
  send("2");
  assert.deepEqual(sent, []);
  await turn();
  assert.deepEqual(sent, ["[1,2]"]);
});

test("a list is bounded by number and length", () => {
  const { sent, send } = open(2);
  for (const text of ["1", "2", "3"]) send(text, { mayWait: true });
  assert.deepEqual(sent, ["[1,2]"]);
  const long = JSON.stringify("x".repeat(70_000));
  send(long, { mayWait: true });
  assert.equal(sent[1], `[3,${long}]`);
});

test("what is held for a page that is gone by then is known not to have been sent", async () => {
  const { sent, state, send } = open();
  const failed: string[] = [];
  for (const id of ["1", "2"]) send(id, { mayWait: true, onFailed: () => failed.push(id) });
  state.isGone = true;
  await turn();
  assert.deepEqual([sent, failed], [[], ["1", "2"]]);
  assert.equal(send("3"), false);
});
