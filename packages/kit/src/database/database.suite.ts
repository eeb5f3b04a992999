import assert from "node:assert/strict";
import { test } from "node:test";
import { type Generated, sql } from "kysely";
import { Problem } from "../problems.ts";
import { VERSION } from "../version.ts";
import { type Database, isUniqueViolation } from "./database.ts";
import { isEmpty, type Migration, migrate } from "./migrate.ts";
import { ticketMigration } from "./testing/ticket-migration.ts";

type Tickets = {
  tickets: { id: string; state: string; seen_ms: number | null; body: Uint8Array | null };
  counters: { id: Generated<number>; value: number };
};

/** What the suite needs from an engine: a new, empty database, and a way to open the same one again. */
export type DatabaseHarness = {
  open(): Promise<{ database: Database<unknown>; again(): Database<unknown> }>;
};

/** Again if no connection became free in time, as happens to hundreds of queries on a busy machine. */
async function onceConnected<T>(query: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await query();
    } catch (error) {
      if (!(error instanceof Problem && error.code === "database-unavailable")) throw error;
    }
  }
}

/** The laws of Database, on a real engine. */
export function testDatabase(engine: string, { open }: DatabaseHarness): void {
  async function openTickets() {
    const { database, again } = await open();
    await migrate(database, [ticketMigration], () => 1);
    return { database: database as Database<Tickets>, again: again as () => Database<Tickets> };
  }

  test(`${engine}: of 300 concurrent conditional updates over three connections exactly one wins`, async () => {
    const { database, again } = await openTickets();
    const openings = [database, again(), again()];
    await database.durable
      .insertInto("tickets")
      .values({ id: "a", state: "open" } as never)
      .execute();
    const claims = Array.from({ length: 300 }, (_, index) => {
      const { durable, shortLived } = openings[index % 3] as Database<Tickets>;
      const db = index % 2 === 0 ? durable : shortLived;
      return onceConnected(() =>
        db
          .updateTable("tickets")
          .set({ state: `taken by ${index}` })
          .where("id", "=", "a")
          .where("state", "=", "open")
          .executeTakeFirst(),
      );
    });
    const results = await Promise.all(claims);
    assert.equal(results.filter(({ numUpdatedRows }) => numUpdatedRows === 1n).length, 1);
  });

  test(`${engine}: of 100 concurrent inserts of one key one succeeds and 99 are unique violations`, async () => {
    const { database } = await openTickets();
    const inserts = Array.from({ length: 100 }, () =>
      onceConnected(() =>
        database.durable
          .insertInto("tickets")
          .values({ id: "a", state: "open" } as never)
          .execute(),
      ),
    );
    const results = await Promise.allSettled(inserts);
    const failures = results.filter((result) => result.status === "rejected");
    assert.equal(failures.length, 99);
    for (const { reason } of failures) assert.ok(isUniqueViolation(reason));
    assert.equal(isUniqueViolation(new Error("other")), false);
  });

  test(`${engine}: delete … returning gives the row to exactly one of 100 takers`, async () => {
    const { database } = await openTickets();
    await database.shortLived
      .insertInto("tickets")
      .values({ id: "a", state: "open" } as never)
      .execute();
    const takes = Array.from({ length: 100 }, () =>
      onceConnected(() =>
        database.shortLived.deleteFrom("tickets").where("id", "=", "a").returning("state").executeTakeFirst(),
      ),
    );
    const taken = (await Promise.all(takes)).filter((row) => row !== undefined);
    assert.deepEqual(taken, [{ state: "open" }]);
  });

  test(`${engine}: a transaction that fails leaves nothing behind, and is never seen half done`, async () => {
    const { database } = await openTickets();
    const countTickets = async () => {
      const { rows } = await sql<{ n: number }>`select count(*) as n from tickets`.execute(database.durable);
      return rows[0]?.n;
    };
    const failing = database.durable.transaction().execute(async (transaction) => {
      await transaction
        .insertInto("tickets")
        .values({ id: "a", state: "open" } as never)
        .execute();
      await new Promise(setImmediate);
      await transaction
        .insertInto("tickets")
        .values({ id: "b", state: "open" } as never)
        .execute();
      throw new Error("changed my mind");
    });
    const counts = Promise.all(Array.from({ length: 20 }, countTickets));
    await assert.rejects(failing, /changed my mind/);
    assert.deepEqual(new Set(await counts), new Set([0]));
    assert.equal(await countTickets(), 0);
  });

  test(`${engine}: a large integer, bytes and null come back as they went in`, async () => {
    const { database } = await openTickets();
    const row = { id: "a", state: "ünïcødé 漢字 \u{1f600}", seen_ms: 2 ** 53 - 1, body: new Uint8Array([0, 1, 255]) };
    await database.durable.insertInto("tickets").values(row).execute();
    await database.durable
      .insertInto("tickets")
      .values({ ...row, id: "b", seen_ms: null, body: null })
      .execute();
    const [a, b] = await database.durable.selectFrom("tickets").selectAll().orderBy("id").execute();
    assert.deepEqual({ ...a, body: new Uint8Array(a?.body ?? []) }, row);
    assert.deepEqual(b, { ...row, id: "b", seen_ms: null, body: null });
  });

  test(`${engine}: a value that looks like SQL is only a value`, async () => {
    const { database } = await openTickets();
    const id = `'; drop table tickets; --`;
    await database.durable
      .insertInto("tickets")
      .values({ id, state: "open" } as never)
      .execute();
    const row = await database.durable.selectFrom("tickets").select("id").where("id", "=", id).executeTakeFirst();
    assert.deepEqual(row, { id });
  });

  test(`${engine}: rows outlive the process that wrote them`, async () => {
    const { database, again } = await openTickets();
    await database.durable
      .insertInto("tickets")
      .values({ id: "kept", state: "open" } as never)
      .execute();
    await database.shortLived
      .insertInto("tickets")
      .values({ id: "kept too", state: "open" } as never)
      .execute();
    await database.close();
    const rows = await again().durable.selectFrom("tickets").select("id").orderBy("id").execute();
    assert.deepEqual(rows, [{ id: "kept" }, { id: "kept too" }]);
  });

  test(`${engine}: migrations run once even when several instances start together`, async () => {
    const { database, again } = await open();
    let runs = 0;
    const slow: Migration = {
      ...ticketMigration,
      async up(transaction, kind) {
        runs += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
        await ticketMigration.up(transaction, kind);
      },
    };
    // SQLite blocks its process while another holds the file, so instances in one process take turns; see the process test.
    const instances = database.engine === "sqlite" ? [database] : [database, again(), again(), again()];
    const ran = await Promise.all(instances.map((instance) => migrate(instance, [slow], () => 5)));
    assert.equal(runs, 1);
    assert.deepEqual(ran.flat(), ["suite-0001-tickets"]);
    const { rows } = await sql`select name, applied_at_ms from migrations`.execute(database.durable);
    assert.deepEqual(rows, [{ name: "suite-0001-tickets", applied_at_ms: 5 }]);
  });

  test(`${engine}: a batch happens completely or not at all, and each statement sees those before it`, async () => {
    const { database } = await openTickets();
    const { durable } = database;
    const add = (id: string) => durable.insertInto("tickets").values({ id, state: "open" } as never);
    const all = durable.selectFrom("tickets").select("id").orderBy("id");
    const take = durable
      .updateTable("tickets")
      .set({ state: "taken" })
      .where("id", "=", "a")
      .where("state", "=", "open");
    const results = await database.batch([add("a"), add("b"), all, take, take]);
    assert.deepEqual(results[2]?.rows, [{ id: "a" }, { id: "b" }]);
    assert.deepEqual([results[3]?.numAffectedRows, results[4]?.numAffectedRows], [1n, 0n]);
    await assert.rejects(database.batch([add("c"), add("a"), add("d")]), isUniqueViolation);
    assert.deepEqual(await all.execute(), [{ id: "a" }, { id: "b" }]);
  });

  test(`${engine}: batches that lock a row first see what the one before them did`, async () => {
    const { database, again } = await openTickets();
    await database.durable
      .insertInto("tickets")
      .values({ id: "lock", state: "lock" } as never)
      .execute();
    const openings = [database, again()];
    const limit = 5;
    const addWithinLimit = (number: number) => {
      const { batch, durable } = openings[number % 2] as Database<Tickets>;
      const lock = durable.updateTable("tickets").set({ state: "lock" }).where("id", "=", "lock");
      const add = durable
        .insertInto("tickets")
        .columns(["id", "state"])
        .expression(
          durable
            .selectNoFrom(({ val }) => [val(`t${number}`).as("id"), val("open").as("state")])
            .where(sql<boolean>`(select count(*) from tickets where state = 'open') < ${sql.lit(limit)}`),
        );
      return onceConnected(() => batch([lock, add]));
    };
    const results = await Promise.all(Array.from({ length: 30 }, (_, number) => addWithinLimit(number)));
    assert.equal(results.filter(([, added]) => added?.numAffectedRows === 1n).length, limit);
  });

  test(`${engine}: a database is empty until its first migration, and never again`, async () => {
    const { database, again } = await open();
    assert.equal(await isEmpty(database), true);
    await migrate(database, [], () => 1);
    assert.deepEqual([await isEmpty(database), await isEmpty(again())], [false, false]);
  });

  test(`${engine}: a migration that fails leaves the tables as they were, and can be run again when it is fixed`, async () => {
    const { database } = await open();
    let broken = true;
    const second: Migration = {
      name: "suite-0002-counters",
      async up(transaction) {
        await transaction.schema.createTable("counters").addColumn("value", "integer").execute();
        if (broken) throw new Error("disk on fire");
      },
    };
    await assert.rejects(
      migrate(database, [ticketMigration, second], () => 1),
      /disk on fire/,
    );
    broken = false;
    assert.deepEqual(await migrate(database, [ticketMigration, second], () => 1), [ticketMigration.name, second.name]);
    assert.deepEqual(await migrate(database, [ticketMigration, second], () => 1), []);
  });

  test(`${engine}: tables of a newer version are refused with an explanation`, async () => {
    const { database } = await open();
    await migrate(database, [ticketMigration], () => 1);
    await assert.rejects(
      migrate(database, [], () => 1),
      new RegExp(`set up by Backplane ${VERSION} \\(suite-0001-tickets\\).* restore the backup from before the update`),
    );
    await sql`update migrations set version = '9.0.0'`.execute(database.durable);
    await assert.rejects(
      migrate(database, [], () => 1),
      /set up by Backplane 9\.0\.0 /,
    );
  });

  test(`${engine}: the table of version 0.1.0, which noted no versions, gets that column`, async () => {
    const { database } = await open();
    await sql`create table migrations (name text primary key, applied_at_ms bigint not null)`.execute(database.durable);
    await sql`insert into migrations values ('suite-0000-older', 1)`.execute(database.durable);
    const older = { name: "suite-0000-older", up: async () => {} };
    assert.deepEqual(await migrate(database, [older, ticketMigration], () => 2), ["suite-0001-tickets"]);
    const { rows } = await sql`select name, version from migrations order by name`.execute(database.durable);
    assert.deepEqual(rows, [
      { name: "suite-0000-older", version: null },
      { name: "suite-0001-tickets", version: VERSION },
    ]);
    await assert.rejects(
      migrate(database, [ticketMigration], () => 3),
      /set up by a newer Backplane \(suite-0000-older\)/,
    );
  });

  test(`${engine}: ping answers, and fails once the database is closed`, async () => {
    const { database } = await open();
    await database.ping();
    await database.close();
    await assert.rejects(database.ping());
  });
}

/** How an outage looks to a caller. */
export function assertUnavailable(error: unknown): true {
  assert.ok(error instanceof Problem, String(error));
  assert.equal(error.code, "database-unavailable");
  return true;
}
