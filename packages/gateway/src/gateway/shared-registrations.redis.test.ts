import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, suite, test } from "node:test";
import { REGISTRATION_LIFE_MS } from "@backplane/contract/gateway";
import { type Bus, openBus } from "@backplane/kit/bus";
import { type Service, startRedis, testRedisUrl, uniquePrefix } from "../../../../scripts/services/index.ts";
import { connect, registrationLaws, secretAndChallenge, withCode } from "./registrations.suite.ts";
import { openShared } from "./shared-registrations.suite.ts";

/** Two gateways, each with its own connection to Redis, as in two processes. */
async function openPair(url: string) {
  const prefix = uniquePrefix();
  const open = () => openBus({ url, prefix, now: Date.now, onFault: () => {} });
  const buses: [Bus, Bus] = [await open(), await open()];
  const shared = await openShared(buses, async () => void (await Promise.all(buses.map((bus) => bus.close()))));
  const [one, other] = shared.instances;
  assert.ok(one && other);
  return Object.assign(shared, { buses, one, other });
}

/** Some tests stop and kill it. */
let redis: Service;
before(async () => {
  redis = await startRedis();
});
beforeEach(() => redis.start());
after(() => redis[Symbol.asyncDispose]());

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; !(await holds()); waitedMs += 20) {
    assert.ok(waitedMs < 120_000, `timed out: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

suite("registrations of two gateways on Redis", () => {
  registrationLaws(async () => openPair(await testRedisUrl()));
});

test("the states of a killed instance are free at once, because nobody answers for it", async () => {
  await using pair = await openPair(await testRedisUrl());
  const { one, other, buses } = pair;
  const state = randomUUID();
  await one.register(connect(), { state, provider: "p" });
  await buses[0].close();
  assert.deepEqual(await other.deliver(state, undefined, withCode(state)), { outcome: "unknown" });
  const back = connect();
  assert.equal(await other.register(back, { state, provider: "p" }), "registered");
  assert.equal((await other.deliver(state, undefined, withCode(state))).outcome, "delivered");
  assert.equal(back.sent.length, 1);
});

test("a state with a challenge still needs its secret after its instance was killed", async () => {
  await using pair = await openPair(await testRedisUrl());
  const { one, other, buses } = pair;
  const state = randomUUID();
  const { secret, challenge } = secretAndChallenge();
  await one.register(connect(), { state, provider: "p", challenge });
  await buses[0].close();
  assert.equal(await other.register(connect(), { state, provider: "p" }), "state-taken");
  assert.equal(await other.register(connect(), { state, provider: "p", secret, challenge }), "registered");
});

test("without Redis, local registrations are served, nothing new is registered, and states that may be elsewhere are not called unknown", async () => {
  await using pair = await openPair(redis.url);
  const { one, other, buses } = pair;
  const [state, elsewhere] = [randomUUID(), randomUUID()];
  const owner = connect();
  await one.register(owner, { state, provider: "p" });
  await other.register(connect(), { state: elsewhere, provider: "p" });
  await redis.kill();
  await until("both noticed", () => buses.every((bus) => bus.state() === "degraded"));

  assert.equal(await one.register(connect(), { state: randomUUID(), provider: "p" }), "bus-unavailable");
  assert.deepEqual(await one.deliver(elsewhere, undefined, withCode(elsewhere)), { outcome: "unavailable" });
  assert.equal((await one.deliver(state, undefined, withCode(state))).outcome, "delivered");
  assert.equal(owner.sent.length, 1);

  await redis.start();
  await until("both are up again", () => buses.every((bus) => bus.state() === "up"));
  assert.equal(await one.register(connect(), { state: randomUUID(), provider: "p" }), "registered");
});

test("a Redis that comes back empty learns again what is waiting: callbacks and uniqueness work as before", async () => {
  await using pair = await openPair(redis.url);
  const { one, other, buses } = pair;
  const states = Array.from({ length: 250 }, () => randomUUID());
  const owners = states.map(() => connect());
  await Promise.all(states.map((state, i) => one.register(owners[i] ?? connect(), { state, provider: "p" })));
  await redis.kill();
  await until("both noticed", () => buses.every((bus) => bus.state() === "degraded"));
  await redis.start();
  await until("both are up again", () => buses.every((bus) => bus.state() === "up"));
  const last = states.at(-1) as string;
  await until("all are claimed again", async () => {
    return (await other.register(connect(), { state: last, provider: "p" })) === "state-taken";
  });
  for (const state of states) {
    assert.equal((await other.deliver(state, undefined, withCode(state))).outcome, "delivered");
  }
  assert.ok(owners.every(({ sent }) => sent.length === 1));
});

test("differing clocks decide nothing: only the owner's own clock does", async () => {
  await using pair = await openPair(await testRedisUrl());
  const { one, other } = pair;
  const state = randomUUID();
  const owner = connect();
  await one.register(owner, { state, provider: "p", challenge: secretAndChallenge().challenge });
  pair.advance(REGISTRATION_LIFE_MS - 1_000);
  pair.skew(5_000);
  assert.equal(await other.register(connect(), { state, provider: "p" }), "state-taken");
  assert.equal((await other.deliver(state, undefined, withCode(state))).outcome, "delivered");
  assert.equal(owner.sent.length, 1);
});

test("a state used while Redis was away is still used afterwards", async () => {
  await using pair = await openPair(redis.url);
  const { one, other, buses } = pair;
  const state = randomUUID();
  await one.register(connect(), { state, provider: "p" });
  await redis.stop();
  await until("both noticed", () => buses.every((bus) => bus.state() === "degraded"));
  assert.equal((await one.deliver(state, undefined, withCode(state))).outcome, "delivered");
  await redis.start();
  await until("both are up again", () => buses.every((bus) => bus.state() === "up"));
  await until("the other knows", async () => {
    return (await other.deliver(state, undefined, withCode(state))).outcome === "used";
  });
  assert.equal(await other.register(connect(), { state, provider: "p" }), "state-used");
});

test("a client that comes back with its secret while Redis is away gets the callback", async () => {
  await using pair = await openPair(redis.url);
  const { one, other, buses } = pair;
  const state = randomUUID();
  const { secret, challenge } = secretAndChallenge();
  await one.register(connect(), { state, provider: "p", challenge });
  await redis.kill();
  await until("both noticed", () => buses.every((bus) => bus.state() === "degraded"));
  const back = connect();
  assert.equal(await one.register(back, { state, provider: "p", challenge, secret }), "registered");
  await redis.start();
  await until("it is found from elsewhere", async () => {
    return (await other.deliver(state, undefined, withCode(state))).outcome === "delivered";
  });
  assert.equal(back.sent.length, 1);
});

test("no key and no value in Redis contains a code, a state or a secret", async () => {
  const url = await testRedisUrl();
  await using pair = await openPair(url);
  const { one, other } = pair;
  const state = randomUUID();
  const { secret, challenge } = secretAndChallenge();
  const owner = connect();
  await one.register(owner, { state, provider: "p", challenge, secret });
  await other.deliver(state, undefined, withCode(state, "canary-code"));
  const { createClient } = await import("@redis/client");
  const client = createClient({ url });
  await client.connect();
  try {
    const keys = await client.keys("*");
    const values = await Promise.all(
      keys.map(async (key) => ((await client.type(key)) === "string" ? client.get(key) : "")),
    );
    const all = JSON.stringify([keys, values]);
    for (const canary of [state, "canary-code", secret]) assert.equal(all.includes(canary), false);
  } finally {
    client.destroy();
  }
});
