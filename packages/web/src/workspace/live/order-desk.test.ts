import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { BrowserMessage, Order } from "@backplane/contract/panels";
import { OrderRefused } from "../panel.ts";
import { createOrderDesk } from "./order-desk.ts";

const EVAL: Order = { kind: "eval", tabId: "a", code: "1", isPrepared: true, timeoutMs: 5_000 };
const SHOT: Order = { kind: "shot", shotId: "s", scope: "panel", method: "html2canvas", tabId: "a" };

function openDesk() {
  const answers: BrowserMessage[] = [];
  const faults: unknown[] = [];
  const timers = new Map<() => void, number>();
  const desk = createOrderDesk({
    answer: (answer) => answers.push(answer),
    setTimer(callback, delayMs) {
      timers.set(callback, delayMs);
      return () => timers.delete(callback);
    },
    onFault: (fault) => faults.push(fault),
  });
  return { desk, answers, faults, timers };
}

test("an order goes to its tab's handler, a screenshot to the workspace's", async () => {
  const { desk, answers } = openDesk();
  desk.onOrder("a", async (order) => `a ${order.kind}`);
  desk.onOrder("b", async () => "b");
  desk.onOrder("workspace", async (order) => `workspace ${order.kind}`);
  desk.take("1", EVAL);
  desk.take("2", SHOT);
  await turn();
  assert.deepEqual(answers, [
    { type: "answer", id: "1", ok: true, value: "a eval" },
    { type: "answer", id: "2", ok: true, value: "workspace shot" },
  ]);
});

test("an order that comes before its handler waits for it", async () => {
  const { desk, answers, timers } = openDesk();
  desk.take("1", EVAL);
  desk.take("2", EVAL);
  desk.onOrder("b", async () => "another");
  await turn();
  assert.equal(answers.length, 0);
  desk.onOrder("a", async () => "mounted");
  await turn();
  assert.deepEqual(
    answers.map((answer) => answer.type === "answer" && answer.ok && answer.value),
    ["mounted", "mounted"],
  );
  assert.equal(timers.size, 0);
});

test("an order that nobody takes in time answers not-mounted, once", async () => {
  const { desk, answers, timers } = openDesk();
  desk.take("1", { ...EVAL, timeoutMs: 600 });
  desk.take("2", { kind: "refresh", tabId: "a" });
  assert.deepEqual([...timers.values()], [300, 5_000]);
  for (const fire of [...timers.keys()]) fire();
  desk.onOrder("a", async () => "too late");
  await turn();
  assert.deepEqual(
    answers.map((answer) => answer.type === "answer" && !answer.ok && answer.code),
    ["not-mounted", "not-mounted"],
  );
});

test("a handler that refuses says why; one that fails says only that it did", async () => {
  const { desk, answers, faults } = openDesk();
  desk.onOrder("a", async () => {
    throw new OrderRefused("not-rendered", "The panel is hidden.");
  });
  desk.onOrder("workspace", () => {
    throw new Error("secret");
  });
  desk.take("1", EVAL);
  desk.take("2", SHOT);
  await turn();
  assert.deepEqual(answers, [
    { type: "answer", id: "1", ok: false, code: "not-rendered", detail: "The panel is hidden." },
    { type: "answer", id: "2", ok: false, code: "shot-failed", detail: "The panel failed to do this." },
  ]);
  assert.equal(faults.length, 1);
});

test("what was withdrawn is neither carried out nor answered", async () => {
  const { desk, answers, timers } = openDesk();
  const handled: string[] = [];
  desk.take("waiting", EVAL);
  desk.withdraw("waiting");
  assert.equal(timers.size, 0);
  const { promise, resolve } = Promise.withResolvers<string>();
  desk.onOrder("a", async () => {
    handled.push("a");
    return promise;
  });
  desk.take("running", EVAL);
  desk.withdraw("running");
  desk.take("also running", EVAL);
  desk.withdrawAll();
  resolve("late");
  await turn();
  assert.deepEqual(handled, ["a", "a"]);
  assert.deepEqual(answers, []);
});

test("of two handlers the later one is asked, and when it goes the earlier one again", async () => {
  const { desk, answers } = openDesk();
  desk.onOrder("a", async () => "first");
  const stop = desk.onOrder("a", async () => "second");
  desk.take("1", EVAL);
  stop();
  desk.take("2", EVAL);
  await turn();
  assert.deepEqual(
    answers.map((answer) => answer.type === "answer" && answer.ok && answer.value),
    ["second", "first"],
  );
});
