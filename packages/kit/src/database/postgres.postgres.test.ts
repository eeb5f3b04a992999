import assert from "node:assert/strict";
import { after, test } from "node:test";
import { sql } from "kysely";
import {
  countTurns,
  createTestDatabase,
  startPostgres,
  startStallingRelay,
} from "../../../../scripts/services/index.ts";
import { assertUnavailable, testDatabase } from "./database.suite.ts";
import type { Database } from "./database.ts";
import { openPostgres } from "./postgres.ts";

const opened = new Set<Database<unknown>>();
const made: AsyncDisposable[] = [];

after(async () => {
  for (const database of opened) await database.close().catch(() => {});
  for (const database of made) await database[Symbol.asyncDispose]();
});

function open(url: string) {
  const database = openPostgres<unknown>(url, () => {});
  opened.add(database);
  return database;
}

testDatabase("postgres", {
  async open() {
    const fresh = await createTestDatabase();
    made.push(fresh);
    return { database: open(fresh.url), again: () => open(fresh.url) };
  },
});

test("postgres: a server that goes away is database-unavailable within seconds, and is used again when it is back", async () => {
  await using server = await startPostgres();
  const lost: Error[] = [];
  const database = openPostgres<unknown>(server.url, (error) => lost.push(error));
  opened.add(database);
  await database.ping();
  await server.stop();
  await assert.rejects(database.ping(), assertUnavailable);
  await assert.rejects(sql`select 1`.execute(database.durable), assertUnavailable);
  await assert.rejects(
    database.durable.transaction().execute((transaction) => sql`select 1`.execute(transaction)),
    assertUnavailable,
  );
  await server.start();
  await database.ping();
  await database.durable.transaction().execute((transaction) => sql`select 1`.execute(transaction));
  await database.close();
});

test("postgres: while a process starts, a server that is away is waited for; then no more", async () => {
  await using server = await startPostgres();
  let isStarting = true;
  const database = openPostgres<unknown>(server.url, () => {}, { isStarting: () => isStarting });
  opened.add(database);
  await server.stop();
  const early = database.ping();
  await server.start();
  await early;
  isStarting = false;
  await server.stop();
  await assert.rejects(database.ping(), assertUnavailable);
  await database.close();
});

test("postgres: after a network failure no later query waits behind the lost one", {
  timeout: 60_000,
}, async () => {
  await using fresh = await createTestDatabase();
  await using relay = await startStallingRelay(fresh.url);
  const database = open(relay.url);
  await database.ping();
  relay.stall();
  await assert.rejects(database.ping(), assertUnavailable);
  relay.resume();
  await database.ping();
  await database.close();
});

test("postgres: a query that takes too long is database-unavailable, and the next one works", async () => {
  await using fresh = await createTestDatabase();
  const database = open(fresh.url);
  const slow = database.durable.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = 50`.execute(transaction);
    await sql`select pg_sleep(600)`.execute(transaction);
  });
  await assert.rejects(slow, assertUnavailable);
  await database.ping();
  await database.close();
});

test("postgres: a batch is one round trip, and an error in it leaves the connection usable", async () => {
  await using fresh = await createTestDatabase();
  await using counter = await countTurns(fresh.url);
  const database = open(counter.url);
  const { durable } = database;
  const one = durable.selectNoFrom(({ val }) => val(1).as("one"));
  await database.batch([one]);
  counter.turns();
  await database.batch([one, one, one, one]);
  assert.equal(counter.turns(), 1);
  const broken = durable.selectNoFrom(sql`1 / 0`.as("broken"));
  await assert.rejects(database.batch([one, broken, one]), /division by zero/);
  await database.batch([one]);
  await database.close();
});

test("postgres: a full disk of the server is a problem that names it", async () => {
  await using fresh = await createTestDatabase();
  const database = open(fresh.url);
  const full = sql`do $$ begin raise exception using errcode = 'disk_full'; end $$`.execute(database.durable);
  await assert.rejects(full, { code: "disk-full", status: 507, message: /The disk of the PostgreSQL server is full/ });
  await database.close();
});

test("postgres: a connection cut in the middle of a transaction rolls it back", async () => {
  await using fresh = await createTestDatabase();
  const database = open(fresh.url);
  await sql`create table notes (id integer)`.execute(database.durable);
  const cut = database.durable.transaction().execute(async (transaction) => {
    await sql`insert into notes values (1)`.execute(transaction);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.shortLived);
    await sql`insert into notes values (2)`.execute(transaction);
  });
  await assert.rejects(cut, assertUnavailable);
  const { rows } = await sql`select count(*) as n from notes`.execute(database.durable);
  assert.deepEqual(rows, [{ n: 0 }]);
  await database.close();
});

test("postgres: short-lived rows do not wait for the disk; durable ones follow the server's setting", async () => {
  await using fresh = await createTestDatabase();
  const database = open(fresh.url);
  const setting = async (db: Database<unknown>["durable"]) => {
    const query = sql<{ setting: string; source: string }>`
      select setting, source from pg_settings where name = 'synchronous_commit'`;
    return (await query.execute(db)).rows[0];
  };
  assert.deepEqual(await setting(database.shortLived), { setting: "off", source: "client" });
  assert.notEqual((await setting(database.durable))?.source, "client");
  await database.close();
});
