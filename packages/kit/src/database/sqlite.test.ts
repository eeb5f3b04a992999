import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { bundleProgram } from "../../../../scripts/testing/bundle.ts";
import { until } from "../../../../scripts/testing/until.ts";
import { testDatabase } from "./database.suite.ts";
import type { Database } from "./database.ts";
import { migrate } from "./migrate.ts";
import { openSqlite } from "./sqlite.ts";
import { ticketMigration } from "./testing/ticket-migration.ts";

const folder = mkdtempSync(join(tmpdir(), "backplane-sqlite-"));
const opened = new Set<Database<unknown>>();
let files = 0;

after(async () => {
  for (const database of opened) await database.close().catch(() => {});
  rmSync(folder, { recursive: true });
});

function open(path = join(folder, "home", `${++files}.db`)) {
  const again = () => {
    const database = openSqlite<unknown>(path);
    opened.add(database);
    return database;
  };
  return { database: again(), again, path };
}

testDatabase("sqlite", { open: async () => open() });

const SOURCE = fileURLToPath(new URL("testing/sqlite-process.ts", import.meta.url));
let program: string;
before(async () => {
  program = await bundleProgram(SOURCE, join(folder, "program"));
});

/** Does some work in a process of its own, with the file open. */
function inProcess(path: string, work: "claim" | "migrate" | "halve") {
  const child = spawn(process.execPath, [program, path, work], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  return { child, finished: once(child, "close").then(() => output.trim()), printed: () => output };
}

test("sqlite: of claims from four processes on one file exactly one wins", async () => {
  const { database, path } = open();
  await migrate(database, [ticketMigration], () => 1);
  await sql`insert into tickets (id, state) values ('a', 'open')`.execute(database.durable);
  const wins = await Promise.all(Array.from({ length: 4 }, () => inProcess(path, "claim").finished));
  assert.deepEqual(wins.sort(), ["0", "0", "0", "1"]);
});

test("sqlite: when four processes start together, exactly one migrates", async () => {
  const { path, database } = open();
  await database.close();
  const ran = await Promise.all(Array.from({ length: 4 }, () => inProcess(path, "migrate").finished));
  assert.deepEqual(ran.sort(), ["0", "0", "0", "1"]);
});

test("sqlite: when a process is killed in a transaction, what was committed stays and the rest is gone", async () => {
  const { path, database } = open();
  await migrate(database, [ticketMigration], () => 1);
  const writer = inProcess(path, "halve");
  while (!writer.printed().includes("ready")) await new Promise((resolve) => setTimeout(resolve, 10));
  writer.child.kill("SIGKILL");
  await writer.finished;
  const { rows } = await sql`select id from tickets`.execute(database.durable);
  assert.deepEqual(rows, [{ id: "committed" }]);
});

test("sqlite: a full disk in a transaction is a problem that names it", async () => {
  const { database } = open();
  await sql`create table filler (text text)`.execute(database.durable);
  await sql`pragma max_page_count = 10`.execute(database.durable);
  const filling = database.durable
    .transaction()
    .execute((transaction) => sql`insert into filler values (${"x".repeat(100_000)})`.execute(transaction));
  await assert.rejects(filling, { code: "disk-full", status: 507, message: /The disk is full/ });
  await database.ping();
});

test("sqlite: a database that cannot be written is a problem that names it, and works again afterwards", async () => {
  const { database } = open();
  await sql`create table notes (id integer)`.execute(database.durable);
  const write = () => sql`insert into notes values (1)`.execute(database.durable);
  await sql`pragma query_only = on`.execute(database.durable);
  await assert.rejects(write(), { code: "disk-unavailable", status: 507, message: /read-only/ });
  await sql`pragma query_only = off`.execute(database.durable);
  await write();
});

test("sqlite: nothing is written to a file that was moved away, and all works again when it is back", async () => {
  const { database, path } = open();
  await sql`create table notes (id integer)`.execute(database.durable);
  const write = () => sql`insert into notes values (1)`.execute(database.durable);
  const refused = () =>
    write().then(
      () => false,
      ({ code, message }) => code === "disk-unavailable" && /missing/.test(message),
    );
  renameSync(path, `${path}.away`);
  await until("the missing file is noticed", refused);
  await assert.rejects(database.ping(), { code: "disk-unavailable" });
  writeFileSync(path, "");
  await assert.rejects(write(), { code: "disk-unavailable" });
  renameSync(`${path}.away`, path);
  await write();
});

test("sqlite: rows have the columns that the table has now, though the query was run before it changed", async () => {
  const { durable } = open().database;
  await sql`create table tickets (id text)`.execute(durable);
  await sql`insert into tickets values ('a')`.execute(durable);
  const read = () => sql`select * from tickets`.execute(durable);
  assert.deepEqual((await read()).rows, [{ id: "a" }]);
  await sql`alter table tickets add column state text default 'open'`.execute(durable);
  assert.deepEqual((await read()).rows, [{ id: "a", state: "open" }]);
  await sql`alter table tickets rename column id to name`.execute(durable);
  assert.deepEqual((await read()).rows, [{ name: "a", state: "open" }]);
});

test("sqlite: the folder and the files it creates are readable by their owner only", async () => {
  const { path } = open();
  assert.equal(statSync(join(path, "..")).mode & 0o777, 0o700);
  const inOpenFolder = join(folder, "open", "backplane.db");
  mkdirSync(join(inOpenFolder, ".."), { mode: 0o755 });
  const { database } = open(inOpenFolder);
  await sql`create table notes (id integer)`.execute(database.durable);
  for (const each of [path, inOpenFolder, `${inOpenFolder}-wal`, `${inOpenFolder}-shm`]) {
    assert.equal(statSync(each).mode & 0o777, 0o600, each);
  }
});

test("sqlite: durable commits are flushed to disk, short-lived ones are not", async () => {
  const { database } = open();
  const level = async (db: Database<unknown>["durable"]) =>
    (await sql<{ synchronous: number }>`pragma synchronous`.execute(db)).rows[0]?.synchronous;
  assert.deepEqual(
    [await level(database.durable), await level(database.shortLived), await level(database.durable)],
    [2, 1, 2],
  );
});
