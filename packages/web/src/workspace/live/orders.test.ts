import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { BrowserMessage, Order } from "@backplane/contract/panels";
import { OrderRefused } from "../panel.ts";
import { createOrders } from "./orders.ts";

const EVAL: Order = { kind: "eval", tabId: "a", code: "1", isPrepared: true, timeoutMs: 5_000 };
const SHOT: Order = { kind: "shot", shotId: "s", scope: "panel", method: "html2canvas", tabId: "a" };

/** The clock of these tests stands at 0. */
const IN_TIME = 1;
const TOO_LATE = -1;

function setUp() {
  const answers: BrowserMessage[] = [];
  const faults: unknown[] = [];
  const timers = new Map<() => void, number>();
  const clock = { nowMs: 0 };
  const orders = createOrders({
    answer: (answer) => answers.push(answer),
    setTimer(callback, delayMs) {
      timers.set(callback, delayMs);
      return () => timers.delete(callback);
    },
    now: () => clock.nowMs,
    onFault: (fault) => faults.push(fault),
  });
  return { orders, answers, faults, timers, clock };
}

test("an order goes to its tab's handler, a screenshot to the workspace's", async () => {
  const { orders, answers } = setUp();
  orders.addHandler("a", async (order) => `a ${order.kind}`);
  orders.addHandler("b", async () => "b");
  orders.addHandler("workspace", async (order) => `workspace ${order.kind}`);
  orders.take("1", EVAL, IN_TIME);
  orders.take("2", SHOT, IN_TIME);
  await turn();
  assert.deepEqual(answers, [
    { type: "answer", id: "1", ok: true, value: "a eval" },
    { type: "answer", id: "2", ok: true, value: "workspace shot" },
  ]);
});

test("an order that comes before its handler waits for it", async () => {
  const { orders, answers, timers } = setUp();
  orders.take("1", EVAL, IN_TIME);
  orders.take("2", EVAL, IN_TIME);
  orders.addHandler("b", async () => "another");
  await turn();
  assert.equal(answers.length, 0);
  orders.addHandler("a", async () => "mounted");
  await turn();
  assert.deepEqual(
    answers.map((answer) => answer.type === "answer" && answer.ok && answer.value),
    ["mounted", "mounted"],
  );
  assert.equal(timers.size, 0);
});

test("an order that nobody takes in time answers not-mounted, once", async () => {
  const { orders, answers, timers } = setUp();
  orders.take("1", { ...EVAL, timeoutMs: 600 }, IN_TIME);
  orders.take("2", { kind: "refresh", tabId: "a" }, IN_TIME);
  assert.deepEqual([...timers.values()], [300, 5_000]);
  for (const fire of [...timers.keys()]) fire();
  orders.addHandler("a", async () => "too late");
  await turn();
  assert.deepEqual(
    answers.map((answer) => answer.type === "answer" && !answer.ok && answer.code),
    ["not-mounted", "not-mounted"],
  );
});

test("an order that comes too late, or whose panel mounts too late, is not begun and is answered as expired", async () => {
  const { orders, answers, clock } = setUp();
  const handled: string[] = [];
  orders.take("waits", EVAL, IN_TIME);
  clock.nowMs = IN_TIME + 1;
  orders.addHandler("a", async (_order, untilMs) => handled.push(String(untilMs)));
  orders.take("late", EVAL, TOO_LATE);
  orders.take("in time", EVAL, clock.nowMs);
  await turn();
  assert.deepEqual(
    answers.map((answer) => answer.type === "answer" && [answer.id, answer.ok || answer.code]),
    [
      ["waits", "expired"],
      ["late", "expired"],
      ["in time", true],
    ],
  );
  assert.deepEqual(handled, [String(clock.nowMs)]);
});

test("a handler that refuses says why; one that fails says only that it did", async () => {
  const { orders, answers, faults } = setUp();
  orders.addHandler("a", async () => {
    throw new OrderRefused("not-rendered", "The panel is hidden.");
  });
  orders.addHandler("workspace", () => {
    throw new Error("secret");
  });
  orders.take("1", EVAL, IN_TIME);
  orders.take("2", SHOT, IN_TIME);
  await turn();
  const answerTo = (id: string) => answers.find((answer) => answer.type === "answer" && answer.id === id);
  assert.deepEqual(
    [answerTo("1"), answerTo("2")],
    [
      { type: "answer", id: "1", ok: false, code: "not-rendered", detail: "The panel is hidden." },
      { type: "answer", id: "2", ok: false, code: "shot-failed", detail: "The panel failed to do this." },
    ],
  );
  assert.equal(faults.length, 1);
});

test("what was withdrawn is neither carried out nor answered", async () => {
  const { orders, answers, timers } = setUp();
  const handled: string[] = [];
  orders.take("waiting", EVAL, IN_TIME);
  orders.withdraw("waiting");
  assert.equal(timers.size, 0);
  const { promise, resolve } = Promise.withResolvers<string>();
  orders.addHandler("a", async () => {
    handled.push("a");
    return promise;
  });
  orders.take("running", EVAL, IN_TIME);
  orders.withdraw("running");
  orders.take("also running", EVAL, IN_TIME);
  orders.withdrawAll();
  resolve("late");
  await turn();
  assert.deepEqual(handled, ["a", "a"]);
  assert.deepEqual(answers, []);
});

test("of two handlers the later one is asked, and when it goes the earlier one again", async () => {
  const { orders, answers } = setUp();
  orders.addHandler("a", async () => "first");
  const stop = orders.addHandler("a", async () => "second");
  orders.take("1", EVAL, IN_TIME);
  stop();
  orders.take("2", EVAL, IN_TIME);
  await turn();
  assert.deepEqual(
    answers.map((answer) => answer.type === "answer" && answer.ok && answer.value),
    ["second", "first"],
  );
});
