import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpenForTest } from "./bus-under-test.suite.ts";

const LONG_MS = 60_000;

export function lifeLaws(open: OpenForTest): void {
  test("an open bus is up and answers a ping", async () => {
    await using under = await open();
    assert.equal(under.one.state(), "up");
    await under.one.ping();
  });

  test("after close everything rejects as closed, and closing again is harmless", async () => {
    await using under = await open();
    const { one: bus } = under;
    const unsubscribe = await bus.subscribe("channel", () => {});
    await bus.close();
    await bus.close();
    const attempts = [
      () => bus.publish("channel", 1),
      () => bus.subscribe("channel", () => {}),
      () => bus.request("channel", 1, { timeoutMs: LONG_MS }),
      () => bus.respond("channel", () => 1),
      () => bus.ping(),
      () => bus.claims.claim("key", "value", LONG_MS),
      () => bus.claims.take("key"),
      () => bus.claims.release("key", "value"),
      () => bus.claims.exchange("key", "value", "another", LONG_MS),
      () => bus.claims.read("key"),
    ];
    for (const attempt of attempts) await assert.rejects(attempt, { name: "BusFault", code: "closed" });
    await unsubscribe();
    assert.equal(bus.state(), "degraded");
  });

  test("closing ends pending requests as closed", async () => {
    await using under = await open();
    await under.other.respond("never", () => new Promise(() => {}));
    const requests = [1, 2].map((i) => under.one.request("never", i, { timeoutMs: LONG_MS }));
    const ends = requests.map((request) => assert.rejects(request, { code: "closed" }));
    await under.one.close();
    await Promise.all(ends);
  });

  test("after close no handler is called and no state change is reported", async () => {
    await using under = await open();
    const { one: bus } = under;
    const heard: unknown[] = [];
    bus.onStateChange((state) => heard.push(state));
    await bus.subscribe("channel", (message) => heard.push(message));
    const published = bus.publish("channel", 1).catch(() => {});
    await bus.close();
    const heardByThen = heard.length;
    await published;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(heard.length, heardByThen);
    assert.ok(!heard.includes("degraded"));
  });
}
