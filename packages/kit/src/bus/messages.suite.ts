import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { until } from "../../../../scripts/testing/until.ts";
import type { OpenForTest } from "./bus-under-test.suite.ts";
import { MAX_CHANNEL_LENGTH, MAX_MESSAGE_BYTES, MAX_SUBSCRIPTIONS } from "./limits.ts";
import type { JsonValue } from "./message.ts";

const MANY = 1_000;

export function messageLaws(engine: string, open: OpenForTest): void {
  const rule = ruleTest(engine);

  test("a message reaches every subscriber of its channel at both ends, and nobody else", async () => {
    await using under = await open();
    const heard: string[] = [];
    await under.one.subscribe("news", (message) => heard.push(`a ${message}`));
    await under.one.subscribe("news", (message) => heard.push(`b ${message}`));
    await under.other.subscribe("news", (message) => heard.push(`c ${message}`));
    await under.other.subscribe("new", (message) => heard.push(`d ${message}`));
    await under.other.publish("news", "x");
    await until("three heard it", () => heard.length >= 3);
    await under.one.publish("new", "y");
    await until("the other channel heard its own", () => heard.includes("d y"));
    assert.deepEqual(heard.toSorted(), ["a x", "b x", "c x", "d y"]);
  });

  test("a message is any JSON value and arrives equal", async () => {
    await using under = await open();
    const heard: JsonValue[] = [];
    const sent: JsonValue[] = [null, false, 0, -1.5e300, "", "ü\n電\0🔌", [], {}, [{ a: [1, { b: null }] }]];
    await under.other.subscribe("values", (message) => heard.push(message));
    for (const message of sent) await under.one.publish("values", message);
    await until("all arrived", () => heard.length === sent.length);
    assert.deepEqual(heard, sent);
  });

  test("every handler gets its own copy: changes to it are not seen by others or by the publisher", async () => {
    await using under = await open();
    const heard: JsonValue[] = [];
    const spoil = (message: JsonValue) => {
      heard.push(structuredClone(message));
      (message as { list: number[] }).list.push(2);
    };
    await under.one.subscribe("copies", spoil);
    await under.one.subscribe("copies", spoil);
    const sent = { list: [1] };
    await under.one.publish("copies", sent);
    sent.list.push(3);
    await until("both heard it", () => heard.length === 2);
    assert.deepEqual(heard, [{ list: [1] }, { list: [1] }]);
    assert.deepEqual(sent, { list: [1, 3] });
  });

  test("messages of one publisher arrive in order", async () => {
    await using under = await open();
    const heard: JsonValue[] = [];
    await under.other.subscribe("order", (message) => heard.push(message));
    const sent = Array.from({ length: MANY }, (_, i) => i);
    await Promise.all(sent.map((i) => under.one.publish("order", i)));
    await until("all arrived", () => heard.length === MANY);
    assert.deepEqual(heard, sent);
  });

  test("a subscriber gets everything published after subscribe resolved, also when many subscribe at once", async () => {
    await using under = await open();
    const heard = new Set<number>();
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        await under.one.subscribe("at once", (message) => message === i && heard.add(i));
        await under.other.publish("at once", i);
      }),
    );
    await until("each heard its own", () => heard.size === 100);
  });

  test("a subscriber gets nothing that was published before it subscribed", async () => {
    await using under = await open();
    const heard: JsonValue[] = [];
    await under.one.publish("late", "before");
    await under.other.subscribe("late", (message) => heard.push(message));
    await under.one.publish("late", "after");
    await until("something arrived", () => heard.length > 0);
    assert.deepEqual(heard, ["after"]);
  });

  test("a handler that throws or rejects affects neither others nor the publisher, and is reported", async () => {
    await using under = await open();
    const heard: JsonValue[] = [];
    const thrown = new Error("thrown");
    const rejected = new Error("rejected");
    await under.one.subscribe("faulty", () => {
      throw thrown;
    });
    await under.one.subscribe("faulty", async () => {
      throw rejected;
    });
    await under.one.subscribe("faulty", (message) => heard.push(message));
    await under.other.publish("faulty", 1);
    await under.other.publish("faulty", 2);
    await until("both messages arrived and were reported", () => heard.length === 2 && under.faults.length === 4);
    assert.deepEqual(heard, [1, 2]);
    assert.deepEqual(new Set(under.faults.map((fault) => fault.code)), new Set(["handler-failed"]));
    assert.deepEqual(new Set(under.faults.map((fault) => fault.cause)), new Set([thrown, rejected]));
  });

  test("unsubscribe stops delivery to its handler only, and may be called twice", async () => {
    await using under = await open();
    const gone: JsonValue[] = [];
    const kept: JsonValue[] = [];
    const unsubscribe = await under.one.subscribe("leave", (message) => gone.push(message));
    await under.one.subscribe("leave", (message) => kept.push(message));
    await under.other.publish("leave", 1);
    await until("the first arrived", () => gone.length === 1 && kept.length === 1);
    await unsubscribe();
    await unsubscribe();
    await under.other.publish("leave", 2);
    await until("the second arrived", () => kept.length === 2);
    assert.deepEqual(gone, [1]);
  });

  test("subscribing again at the moment of unsubscribing works", async () => {
    await using under = await open();
    const heard: JsonValue[] = [];
    for (let round = 0; round < 20; round += 1) {
      const unsubscribe = await under.one.subscribe("again", () => {});
      const leaving = unsubscribe();
      const leave = await under.one.subscribe("again", (message) => heard.push(message));
      await leaving;
      await under.other.publish("again", round);
      await until("it arrived", () => heard.at(-1) === round);
      await leave();
    }
  });

  test("handlers that publish to each other without end leave room for other work", async () => {
    await using under = await open();
    let echoes = 0;
    await under.one.subscribe("echo", async () => {
      echoes += 1;
      await under.one.publish("echo", echoes).catch(() => {});
    });
    await under.one.publish("echo", 0);
    await until("all of them ran", () => echoes > 100);
  });

  rule(
    "a message that is not a JSON value, is too large, or has no channel name is refused with its code",
    async () => {
      await using under = await open();
      const cycle: { self?: JsonValue } = {};
      cycle.self = cycle as JsonValue;
      for (const message of [undefined, () => {}, Symbol("s"), 1n, cycle]) {
        await assert.rejects(under.one.publish("bad", message as JsonValue), { code: "invalid" });
      }
      await assert.rejects(under.one.publish("bad", "x".repeat(MAX_MESSAGE_BYTES - 1)), { code: "too-large" });
      for (const channel of ["", "c".repeat(MAX_CHANNEL_LENGTH + 1)]) {
        await assert.rejects(under.one.publish(channel, 1), { code: "invalid" });
        await assert.rejects(
          under.one.subscribe(channel, () => {}),
          { code: "invalid" },
        );
      }
    },
  );

  test("a message of the full size arrives", async () => {
    await using under = await open();
    const message = "x".repeat(MAX_MESSAGE_BYTES - 2);
    let heard: JsonValue = null;
    await under.other.subscribe("large", (it) => {
      heard = it;
    });
    await under.one.publish("large", message);
    await until("it arrived", () => heard === message);
  });

  rule("the number of subscriptions is limited, and unsubscribing makes room", async () => {
    await using under = await open();
    const first = await under.one.subscribe("full", () => {});
    await Promise.all(Array.from({ length: MAX_SUBSCRIPTIONS - 1 }, () => under.one.subscribe("full", () => {})));
    await assert.rejects(
      under.one.subscribe("more", () => {}),
      { code: "too-many" },
    );
    await first();
    await under.one.subscribe("more", () => {});
  });
}
