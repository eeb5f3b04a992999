import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { prepare } from "./prepared.ts";
import { openSqlite } from "./sqlite.ts";

type Tickets = { tickets: { id: string; state: string; seen_ms: number | null } };

test("a prepared query runs with the values of each call, in a transaction too", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "prepared-"));
  const { durable, close } = openSqlite<Tickets>(join(folder, "a.db"));
  t.after(async () => {
    await close();
    rmSync(folder, { recursive: true });
  });
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
