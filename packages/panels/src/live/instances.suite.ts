import assert from "node:assert/strict";
import { test } from "node:test";
import type { Order } from "@backplane/contract/panels";
import { openLiveForTest, type Stage } from "./live-under-test.suite.ts";
import { until } from "./page.suite.ts";

const ORDER: Order = { kind: "refresh", tabId: "tab" };
const asking = { timeoutMs: 30_000 };

/** What only several instances can show. */
export function instanceLaws(stage: Stage): void {
  test("when an instance dies, its browser is dropped and the next browser answers", async (t) => {
    const under = await openLiveForTest(t, stage);
    const id = await under.workspaceId("demo");
    const dying = await under.open("demo", under.last);
    const next = await under.open("demo", under.first);
    next.answer = () => "next";
    await under.last.bus.close();
    assert.deepEqual(await under.first.live.ask(id, ORDER, asking), { ok: true, value: "next" });
    assert.equal(dying.orders.length, 0);
    assert.equal((await under.first.live.browsers(id)).length, 1);
    assert.equal((await next.hears("primary")).isPrimary, true);
  });

  test("an instance that drains closes with 1001, and its browsers are no longer listed", async (t) => {
    const under = await openLiveForTest(t, stage);
    const id = await under.workspaceId("demo");
    const page = await under.open("demo", under.last);
    const stays = await under.open("demo", under.first);
    await under.last.live.drain();
    assert.equal(await page.closed(), 1001);
    await stays.hears("primary");
    assert.equal((await under.first.live.browsers(id)).length, 1);
  });

  test("an instance that drains lets its browser finish its orders; a later one waits until the browser is back elsewhere", async (t) => {
    const under = await openLiveForTest(t, stage, { ordersWithinMs: 60_000, movingMs: 60_000 });
    const id = await under.workspaceId("demo");
    const page = await under.open("demo", under.last);
    page.answer = () => undefined;
    const inFlight = [under.first, under.last].map(({ live }) => live.ask(id, ORDER, asking));
    await until("both orders are given", () => page.orders.length === 2);
    const drained = under.last.live.drain();
    await until("it gives no more orders", async () => {
      const late = await under.last.live.ask(id, ORDER, { timeoutMs: 5_000 });
      return !late.ok && late.reason === "unreached";
    });
    const next = under.first.live.ask(id, ORDER, asking);
    for (const order of page.orders) page.send({ type: "answer", id: order.id, ok: true, value: "finished" });
    assert.deepEqual(await Promise.all(inFlight), Array(2).fill({ ok: true, value: "finished" }));
    await drained;
    assert.equal(await page.closed(), 1001);
    const back = await under.open("demo", under.first);
    assert.deepEqual(await next, { ok: true, value: "done" });
    assert.equal(back.orders.length, 1);
  });

  test("an answer may have the full size, also between instances", async (t) => {
    const under = await openLiveForTest(t, stage);
    const id = await under.workspaceId("demo");
    const page = await under.open("demo", under.last);
    const large = "é".repeat(250_000);
    page.answer = () => large;
    const order: Order = { kind: "eval", tabId: "tab", code: large, isPrepared: true, timeoutMs: 1_000 };
    assert.deepEqual(await under.first.live.ask(id, order, asking), { ok: true, value: large });
    const tooLarge = { ...order, code: "\u0001".repeat(500_000) };
    for (const instance of [under.first, under.last]) {
      await assert.rejects(instance.live.ask(id, tooLarge, asking), { code: "payload-too-large" });
    }
  });

  test("a browser keeps answering its own instance after Redis drops its entry", async (t) => {
    const under = await openLiveForTest(t, stage, { presenceBeatMs: 50 });
    const id = await under.workspaceId("demo");
    const page = await under.open("demo", under.last);
    page.answer = () => "here";
    const [entry] = await under.first.live.browsers(id);
    assert.ok(entry);
    const key = `${under.first.bus.redis?.prefix}panels:browsers:${id}`;
    await under.first.bus.redis?.evaluate(
      { text: 'return redis.call("DEL", KEYS[1])', sha1: "1".repeat(40) },
      [key],
      [],
    );
    await until("it is there again", async () => (await under.first.live.browsers(id)).length === 1);
    assert.deepEqual(await under.first.live.ask(id, ORDER, asking), { ok: true, value: "here" });
  });
}
