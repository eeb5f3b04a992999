import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import { prepare } from "./prepared.ts";
import { openSqlite } from "./sqlite.ts";

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "prepared-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

type Tickets = { tickets: { id: string; state: string; seen_ms: number | null } };

test("a prepared query of somebody else waits for a transaction, and is not part of it", async (t) => {
  const { durable, shortLived, close } = openSqlite<Tickets>(join(folderOf(t), "a.db"));
  t.after(close);
  await sql`create table tickets (id text primary key, state text not null, seen_ms bigint)`.execute(durable);
  const insert = prepare((values: { id: string }) =>
    durable.insertInto("tickets").values({ id: values.id, state: "open", seen_ms: null }),
  );
  let other: Promise<unknown> | undefined;
  const given = durable.transaction().execute(async (transaction) => {
    await insert(transaction, { id: "taken back" });
    other = Promise.all([insert(durable, { id: "a" }), insert(shortLived, { id: "b" })]);
    await turn();
    throw new Error("taken back");
  });
  await assert.rejects(given, /taken back/);
  await other;
  const rows = await durable.selectFrom("tickets").select("id").orderBy("id").execute();
  assert.deepEqual(rows, [{ id: "a" }, { id: "b" }]);
  await assert.rejects(insert(durable, { id: "a" }), /UNIQUE/);
});

test("a prepared query takes its values from a list as well", async (t) => {
  const { durable, close } = openSqlite<Tickets>(join(folderOf(t), "a.db"));
  t.after(close);
  await sql`create table tickets (id text primary key, state text not null, seen_ms bigint)`.execute(durable);
  const insert = prepare((values: readonly string[]) =>
    durable.insertInto("tickets").values([10, 2].map((at) => ({ id: values[at] ?? "", state: "open", seen_ms: null }))),
  );
  await insert(
    durable,
    Array.from({ length: 11 }, (_, at) => `at ${at}`),
  );
  const rows = await durable.selectFrom("tickets").select("id").orderBy("id").execute();
  assert.deepEqual(rows, [{ id: "at 10" }, { id: "at 2" }]);
});

test("a prepared query runs with the values of each call, in a transaction too", async (t) => {
  const { durable, close } = openSqlite<Tickets>(join(folderOf(t), "a.db"));
  t.after(close);
  await sql`create table tickets (id text primary key, state text not null, seen_ms bigint)`.execute(durable);
  const insert = prepare((values: { id: string; seenMs: number | null }) =>
    durable.insertInto("tickets").values({ id: values.id, state: "open", seen_ms: values.seenMs }),
  );
  const close_ = prepare((values: { id: string; nowMs: number }) =>
    durable
      .updateTable("tickets")
      .set({ state: "closed", seen_ms: values.nowMs })
      .where("id", "=", values.id)
      .where("state", "=", "open")
      .where((row) => row.or([row("seen_ms", "is", null), row("seen_ms", "<", values.nowMs)])),
  );
  const read = prepare((values: { id: string }) =>
    durable.selectFrom("tickets").select(["state", "seen_ms"]).where("id", "=", values.id),
  );
  await insert(durable, { id: "a", seenMs: null });
  await durable.transaction().execute((transaction) => insert(transaction, { id: "b", seenMs: 5 }));
  assert.equal((await close_(durable, { id: "b", nowMs: 4 })).numAffectedRows, 0n);
  assert.equal((await close_(durable, { id: "b", nowMs: 6 })).numAffectedRows, 1n);
  assert.deepEqual((await read(durable, { id: "a" })).rows, [{ state: "open", seen_ms: null }]);
  assert.deepEqual((await read(durable, { id: "b" })).rows, [{ state: "closed", seen_ms: 6 }]);
  assert.deepEqual((await read(durable, { id: "c" })).rows, []);
});
