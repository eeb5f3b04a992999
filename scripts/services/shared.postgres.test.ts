import assert from "node:assert/strict";
import test from "node:test";
import pg from "pg";
import { startPostgres } from "./postgres.ts";
import { createTestDatabase } from "./shared.ts";

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test("databases created at the same time are separate, and dropped at the end", async () => {
  const databases = await Promise.all(Array.from({ length: 4 }, () => createTestDatabase()));
  await Promise.all(databases.map(({ url }) => ask(url, "create table only_here (id int)")));
  assert.equal(new Set(databases.map(({ url }) => url)).size, 4);
  await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
  for (const { url } of databases) await assert.rejects(ask(url, "select 1"), { code: "3D000" });
});

test("a prepared database is set up once, and each copy starts as it was then", async () => {
  let prepared = 0;
  const prepare = async (url: string) => {
    prepared += 1;
    await ask(url, "create table kept as select 7 as value");
  };
  const copies = await Promise.all([createTestDatabase({ prepare }), createTestDatabase({ prepare })]);
  for (const { url } of copies) assert.deepEqual(await ask(url, "delete from kept returning value"), [{ value: 7 }]);
  await using later = await createTestDatabase({ prepare });
  assert.deepEqual(await ask(later.url, "select value from kept"), [{ value: 7 }]);
  assert.equal(prepared, 1);
  for (const copy of copies) await copy[Symbol.asyncDispose]();
});

test("a copy that was used is as it was prepared for the next one, unless its tables were changed", async () => {
  const prepare = async (url: string) => {
    await ask(url, "create table kept as select 7 as value");
    await ask(url, "create table parents (id serial primary key)");
    await ask(url, "create table children (parent int references parents)");
  };
  const urls = new Set<string>();
  const use = async (...work: string[]) => {
    await using copy = await createTestDatabase({ prepare });
    urls.add(copy.url);
    assert.deepEqual(await ask(copy.url, "select value from kept"), [{ value: 7 }]);
    assert.deepEqual(await ask(copy.url, "select * from children"), []);
    assert.deepEqual(await ask(copy.url, "insert into parents default values returning id"), [{ id: 1 }]);
    for (const sql of work) await ask(copy.url, sql);
    // Disposing again must not give it to two tests.
    await copy[Symbol.asyncDispose]();
  };
  await use("insert into children values (1)", "delete from kept");
  await use("update kept set value = 8");
  assert.equal(urls.size, 1);
  for (const change of [
    "alter table kept rename to away",
    "alter table kept add more int",
    "create table more (id int)",
  ]) {
    await use(change);
  }
  await use();
  assert.equal(urls.size, 4);
});

test("a server that was killed comes back with its data", async () => {
  await using server = await startPostgres();
  await using database = await createTestDatabase({ serverUrl: server.url });
  await ask(database.url, "create table kept as select 7 as value");
  await server.kill();
  await assert.rejects(ask(database.url, "select 1"));
  await server.start();
  assert.deepEqual(await ask(database.url, "select value from kept"), [{ value: 7 }]);
});
