import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Order } from "@backplane/contract/panels";
import { openBus } from "@backplane/kit/bus";
import { startStallingRelay, testRedisUrl, uniquePrefix } from "../../../../scripts/services/index.ts";
import { openLiveForTest } from "./live-under-test.suite.ts";
import { until } from "./page.suite.ts";

const evalOf = (code: string): Order => ({ kind: "eval", tabId: "tab", code, isPrepared: true, timeoutMs: 50 });
const codesOf = (orders: readonly { order: Order }[]) =>
  orders.map(({ order }) => (order.kind === "eval" ? order.code : order.kind));

/** The caller is at the first instance, the browser at the last one, whose connection to Redis can be cut. */
async function openApart(t: TestContext) {
  const url = await testRedisUrl();
  const relay = await startStallingRelay(url);
  t.after(() => relay[Symbol.asyncDispose]());
  const prefix = uniquePrefix();
  const urls = [url, relay.url];
  const under = await openLiveForTest(
    t,
    {
      name: "two instances over Redis",
      instances: 2,
      openBus: async () => () => openBus({ url: urls.shift() ?? url, prefix, now: Date.now, onFault: () => {} }),
    },
    { relaySlackMs: 0 },
  );
  const id = await under.workspaceId("demo");
  const page = await under.open("demo", under.last);
  const ask = (code: string, timeoutMs: number) => under.first.live.ask(id, evalOf(code), { timeoutMs });
  return { relay, under, page, ask };
}

test("an order that reaches the browser's instance too late is not given, and its caller was told so", async (t) => {
  const { relay, under, page, ask } = await openApart(t);
  relay.stall();
  assert.deepEqual(await ask("late", 200), { ok: false, reason: "unreached" });
  relay.resume();
  // What was held back has arrived before this.
  await until("the browser is reached again", async () => {
    await until("the bus is up", () => under.last.bus.state() === "up");
    return (await ask("in time", 30_000).catch(() => undefined))?.ok === true;
  });
  assert.deepEqual([...new Set(codesOf(page.orders))], ["in time"]);
});

test("when the instance is cut off after it took an order, its caller is told that the outcome is unknown", async (t) => {
  const { relay, page, ask } = await openApart(t);
  page.answer = () => {
    relay.stall();
    return "done, but nobody hears it";
  };
  assert.deepEqual(await ask("ran", 2_000), { ok: false, reason: "unknown" });
  assert.deepEqual(codesOf(page.orders), ["ran"]);
  relay.resume();
});
