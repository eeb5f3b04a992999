import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { migrations } from "@backplane/accounts";
import { INTENT_LIFE_MS } from "@backplane/contract/intents";
import { openBus } from "@backplane/kit/bus";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import type { EventStream } from "@backplane/kit/sse";
import { createIntentStore, type IntentTables } from "./store.ts";
import { openWaiters } from "./waiters.ts";
import type { Waiter } from "./waiting-list.ts";

/** Waiters on a real table and bus; what streams receive is recorded. */
async function open(t: TestContext, readEveryMs: number) {
  const home = mkdtempSync(join(tmpdir(), "waiters-"));
  const database = await openDatabase<IntentTables>({ url: undefined, home, onLostConnection: () => {} });
  await migrate(database as Database<unknown>, migrations, () => 1);
  const clock = { nowMs: 1_000_000 };
  const faults: unknown[] = [];
  const [now, onFault] = [() => clock.nowMs, (error: unknown) => faults.push(error)];
  const bus = await openBus({ now, onFault });
  const store = createIntentStore(database);
  const retrieve = async () => ({ state: "authenticated" as const, session_token: "tok_x" });
  const waiters = await openWaiters({ store, retrieve, bus, now, onFault, readEveryMs });
  t.after(async () => {
    await waiters.close();
    await bus.close();
    await database.close();
    rmSync(home, { recursive: true });
    assert.deepEqual(faults, []);
  });
  const decide = (hash: string, state: "authenticated" | "denied") =>
    database.durable.updateTable("intents").set({ state }).where("token_hash", "=", hash).execute();
  const insert = (hash: string) =>
    store.insert({
      token_hash: hash,
      confirmation_code: "",
      app_name: null,
      code_challenge: null,
      max_age_s: 60,
      created_at_ms: clock.nowMs,
      expires_at_ms: clock.nowMs + INTENT_LIFE_MS,
      created_address: "203.0.113.7",
      created_program: null,
    });
  const expiresAtMs = clock.nowMs + INTENT_LIFE_MS;
  return { waiters, clock, database, store, decide, insert, expiresAtMs };
}

function newWaiter(): { waiter: Waiter; told: Promise<string[]> } {
  const sent: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const stream: EventStream = {
    send: (event, data) => sent.push(`${event} ${data}`),
    end: () => resolve(sent),
    onClose: () => {},
  };
  return { waiter: { stream, token: "t", consumer: "c" }, told: promise };
}

const NEVER_MS = 3_600_000;

test("a waiter gets another instance's decision even when no message came", async (t) => {
  const { waiters, decide, insert, expiresAtMs } = await open(t, 10);
  await insert("a");
  const { waiter, told } = newWaiter();
  await waiters.add("a", expiresAtMs, waiter);
  await decide("a", "authenticated");
  assert.deepEqual(await told, ['authenticated {"session_token":"tok_x"}']);
  assert.equal(waiters.count("a"), 0);
});

test("a decision between checking and waiting is not missed", async (t) => {
  const { waiters, decide, insert, expiresAtMs } = await open(t, NEVER_MS);
  await insert("a");
  await decide("a", "denied");
  const { waiter, told } = newWaiter();
  await waiters.add("a", expiresAtMs, waiter);
  assert.deepEqual(await told, ["timeout "]);
});

test("a decision just before expiry counts, whatever the timer sees first", async (t) => {
  const { waiters, clock, decide, insert, expiresAtMs } = await open(t, NEVER_MS);
  await insert("a");
  const { waiter, told } = newWaiter();
  await waiters.add("a", expiresAtMs, waiter);
  await decide("a", "authenticated");
  clock.nowMs += INTENT_LIFE_MS + 250;
  await waiters.expire();
  assert.deepEqual(await told, ['authenticated {"session_token":"tok_x"}']);
});

test("thousands that expire together are notified together, and nobody whose time has not come", async (t) => {
  const { waiters, clock, insert, expiresAtMs } = await open(t, NEVER_MS);
  const waiting = [];
  for (let i = 0; i < 1_000; i += 1) {
    await insert(`h${i}`);
    const { waiter, told } = newWaiter();
    await waiters.add(`h${i}`, expiresAtMs, waiter);
    waiting.push(told);
  }
  clock.nowMs += INTENT_LIFE_MS - 1;
  await waiters.expire();
  assert.equal(waiters.count("h0"), 1);
  clock.nowMs += 1 + 250;
  await waiters.expire();
  for (const told of waiting) assert.deepEqual(await told, ["timeout "]);
  assert.equal(waiters.count("h0"), 0);
});

test("an intent that is no longer in the table ends its streams on time", async (t) => {
  const { waiters, clock, insert, database, expiresAtMs } = await open(t, NEVER_MS);
  await insert("a");
  const { waiter, told } = newWaiter();
  await waiters.add("a", expiresAtMs, waiter);
  await database.durable.deleteFrom("intents").execute();
  clock.nowMs += INTENT_LIFE_MS + 250;
  await waiters.expire();
  assert.deepEqual(await told, ["timeout "]);
});

test("a waiter that has left gets nothing", async (t) => {
  const { waiters, decide, insert, expiresAtMs } = await open(t, NEVER_MS);
  await insert("a");
  const [left, stays] = [newWaiter(), newWaiter()];
  for (const { waiter } of [left, stays]) await waiters.add("a", expiresAtMs, waiter);
  waiters.remove("a", left.waiter);
  waiters.remove("a", left.waiter);
  assert.equal(waiters.count("a"), 1);
  await decide("a", "denied");
  waiters.announce("a");
  assert.deepEqual(await stays.told, ["timeout "]);
  const isTold = await Promise.race([
    left.told.then(() => true),
    new Promise((resolve) => setImmediate(resolve, false)),
  ]);
  assert.equal(isTold, false);
});
