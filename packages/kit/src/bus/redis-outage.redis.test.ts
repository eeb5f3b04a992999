import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  type Service,
  startRedis,
  startStallingRelay,
  testRedisUrl,
  uniquePrefix,
} from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import type { BusState } from "./bus.ts";
import type { BusFault } from "./fault.ts";
import { openBus } from "./index.ts";
import { COMMAND_TIMEOUT_MS } from "./limits.ts";
import type { JsonValue } from "./message.ts";

/** What counts as "at once". */
const QUICK_MS = 500;
const TICK_MS = 10;

/** The tests stop and kill it. */
let redis: Service;
before(async () => {
  redis = await startRedis();
});
beforeEach(() => redis.start());
after(() => redis[Symbol.asyncDispose]());

async function openWatched(url: string) {
  const faults: BusFault[] = [];
  const states: BusState[] = [];
  const bus = await openBus({ url, prefix: uniquePrefix(), now: Date.now, onFault: (fault) => faults.push(fault) });
  bus.onStateChange((state) => states.push(state));
  return { bus, faults, states, [Symbol.asyncDispose]: () => bus.close() };
}

/**
 * Asserts that the work waits for no timeout. Counted in turns of a timer of this process and not in elapsed time, which
 * passes too while the machine is busy with something else.
 */
async function quickly<T>(work: () => Promise<T>, withinMs = QUICK_MS): Promise<T> {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, TICK_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    assert.ok(ticks * TICK_MS < withinMs, `${ticks} ticks`);
  }
}

for (const ending of ["stop", "kill"] as const) {
  test(`after ${ending} of the server the bus is degraded, fails at once, and recovers completely`, async () => {
    await using watched = await openWatched(redis.url);
    const { bus, states, faults } = watched;
    const heard: JsonValue[] = [];
    await bus.subscribe("channel", (message) => heard.push(message));
    await bus.respond("question", () => "answer");
    await bus.claims.claim("key", "value", 60_000);
    await bus.claims.release("key", "another value");

    await redis[ending]();
    await until("the bus noticed", () => bus.state() === "degraded");
    const unavailable = { name: "BusFault", code: "unavailable" };
    await quickly(() => assert.rejects(bus.publish("channel", "lost"), unavailable));
    await quickly(() => assert.rejects(bus.claims.claim("key", "value", 60_000), unavailable));
    await quickly(() => assert.rejects(bus.claims.take("key"), unavailable));
    await quickly(() => assert.rejects(bus.claims.release("key", "value"), unavailable));
    await quickly(() => assert.rejects(bus.ping(), unavailable));
    const reply = await quickly(() => bus.request("question", 1, { timeoutMs: 60_000 }));
    assert.deepEqual(reply, { ok: false, reason: "unavailable" });

    await redis.start();
    await until("the bus is up again", () => bus.state() === "up");
    await bus.publish("channel", "after");
    await until("the message arrived", () => heard.length > 0);
    assert.deepEqual(heard, ["after"]);
    assert.deepEqual(await bus.request("question", 1, { timeoutMs: 5_000 }), { ok: true, value: "answer" });
    assert.equal(await bus.claims.claim("new key", "value", 60_000), true);
    // The server has forgotten its scripts.
    assert.equal(await bus.claims.release("new key", "value"), true);
    assert.deepEqual(states, ["degraded", "up"]);
    assert.deepEqual(
      faults.map((fault) => fault.code),
      ["unavailable"],
      "one outage is reported once",
    );
  });
}

test("each outage and each return is reported once", async () => {
  await using watched = await openWatched(redis.url);
  for (let outage = 0; outage < 3; outage += 1) {
    await redis.kill();
    await until("the bus noticed", () => watched.bus.state() === "degraded");
    await redis.start();
    await until("the bus is up again", () => watched.bus.state() === "up");
    await watched.bus.ping();
  }
  assert.deepEqual(watched.states, ["degraded", "up", "degraded", "up", "degraded", "up"]);
  assert.equal(watched.faults.length, 3);
});

test("subscribing and unsubscribing while the server is away takes effect when it is back", async () => {
  await using watched = await openWatched(redis.url);
  const { bus } = watched;
  const heard: JsonValue[] = [];
  const leave = await bus.subscribe("left", (message) => heard.push(message));
  const leaveQuestion = await bus.respond("left", () => "still here");
  await redis.stop();
  await until("the bus noticed", () => bus.state() === "degraded");
  await quickly(() => bus.subscribe("joined", (message) => heard.push(message)));
  await quickly(leave);
  await quickly(leaveQuestion);
  await redis.start();
  await until("the bus is up again", () => bus.state() === "up");
  await bus.publish("left", "not heard");
  await bus.publish("joined", "heard");
  await until("the message arrived", () => heard.length > 0);
  assert.deepEqual(heard, ["heard"]);
  assert.deepEqual(await bus.request("left", 1, { timeoutMs: 5_000 }), { ok: false, reason: "no-responder" });
});

test("a request that waits when the server goes away ends at once as unavailable", async () => {
  await using watched = await openWatched(redis.url);
  await watched.bus.respond("never", () => new Promise(() => {}));
  const reply = watched.bus.request("never", 1, { timeoutMs: 60_000 });
  await watched.bus.ping();
  await redis.kill();
  assert.deepEqual(await reply, { ok: false, reason: "unavailable" });
});

test("opening while the server is away neither throws nor hangs: it begins degraded and comes up", async () => {
  await redis.stop();
  await using opened = new AsyncDisposableStack();
  const { bus, faults } = await quickly(async () => opened.use(await openWatched(redis.url)));
  const heard: JsonValue[] = [];
  assert.equal(bus.state(), "degraded");
  await bus.subscribe("channel", (message) => heard.push(message));
  await quickly(() => assert.rejects(bus.ping(), { code: "unavailable" }));
  await redis.start();
  await until("the bus is up", () => bus.state() === "up");
  await bus.publish("channel", "hello");
  await until("the message arrived", () => heard.length === 1);
  assert.equal(faults.length, 1);
});

test("a server that goes silent without closing its connections is noticed, and used again when it answers", async () => {
  await using relay = await startStallingRelay(await testRedisUrl());
  await using watched = await openWatched(relay.url);
  const { bus, states } = watched;
  const heard: JsonValue[] = [];
  await bus.subscribe("channel", (message) => heard.push(message));
  relay.stall();
  await quickly(() => assert.rejects(bus.ping(), { code: "unavailable" }), COMMAND_TIMEOUT_MS + QUICK_MS);
  assert.equal(bus.state(), "degraded");
  relay.resume();
  await until("the bus is up again", () => bus.state() === "up");
  await bus.publish("channel", "hello");
  await until("the message arrived", () => heard.length === 1);
  assert.deepEqual(states, ["degraded", "up"]);
});

test("a silent server is noticed without any traffic", async () => {
  await using relay = await startStallingRelay(await testRedisUrl());
  await using watched = await openWatched(relay.url);
  relay.stall();
  await until("the bus noticed", () => watched.bus.state() === "degraded");
});

test("a state listener that throws affects neither the bus nor other listeners", async () => {
  await using watched = await openWatched(redis.url);
  const { bus, faults } = watched;
  const told: BusState[] = [];
  const cause = new Error("of the listener");
  bus.onStateChange(() => {
    throw cause;
  });
  const stop = bus.onStateChange((state) => told.push(state));
  await redis.stop();
  await until("the bus noticed", () => told.length === 1);
  stop();
  await redis.start();
  await until("the bus is up again", () => bus.state() === "up");
  assert.deepEqual(told, ["degraded"]);
  assert.equal(faults.filter((fault) => fault.cause === cause).length, 2);
});
