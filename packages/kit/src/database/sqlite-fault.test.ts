import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { openSqlite } from "./sqlite.ts";
import { sqliteFault } from "./sqlite-fault.ts";

/** A closed database of many pages. */
async function someDatabase(t: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "backplane-damaged-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "backplane.db");
  const database = openSqlite<unknown>(path);
  await sql`create table notes (id integer primary key, body text)`.execute(database.durable);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
    insert into notes select i, hex(randomblob(100)) from n`.execute(database.durable);
  await database.close();
  return path;
}

const DAMAGES: Record<string, (path: string, size: number) => void> = {
  "cut in half": (path, size) => truncateSync(path, size / 2),
  "cut inside its first page": (path) => truncateSync(path, 700),
  "text instead of a database": (path) => writeFileSync(path, "not a database\n".repeat(1_000)),
  "zeros instead of pages": (path, size) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, size / 4, (size * 3) / 4));
  },
};

for (const [damage, apply] of Object.entries(DAMAGES)) {
  test(`a database with ${damage} is refused with its name and the way back, and stays as it is`, async (t) => {
    const path = await someDatabase(t);
    assert.equal(sqliteFault(path), undefined);
    apply(path, readFileSync(path).length);
    const before = readFileSync(path);
    for (const _attempt of [1, 2]) {
      assert.throws(
        () => openSqlite(path),
        (error: Error) => {
          assert.ok(error.message.startsWith(`The database ${path} is damaged (`), error.message);
          assert.match(error.message, /\)\. Nothing was changed\. Restore it from a backup/);
          return true;
        },
      );
    }
    assert.deepEqual(readFileSync(path), before);
  });
}

test("a database that is empty or gone while its log is not is refused, and the log stays", async (t) => {
  const path = await someDatabase(t);
  const log = `${path}-wal`;
  writeFileSync(log, "the last changes");
  for (const lose of [() => truncateSync(path, 0), () => rmSync(path)]) {
    lose();
    assert.throws(
      () => openSqlite(path),
      /backplane\.db is empty, but its log .*backplane\.db-wal is not\. Nothing was changed/,
    );
    assert.equal(readFileSync(log, "utf8"), "the last changes");
  }
});

test("a database whose process was killed, and one in use, are fine", async (t) => {
  const path = await someDatabase(t);
  const database = openSqlite<unknown>(path);
  await sql`insert into notes (body) values ('in the log')`.execute(database.durable);
  assert.equal(sqliteFault(path), undefined);
  const [bytes, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
  await database.close();
  assert.ok(log.length > 0);
  writeFileSync(path, bytes);
  writeFileSync(`${path}-wal`, log);
  const recovered = openSqlite<unknown>(path);
  const { rows } = await sql`select count(*) as n from notes`.execute(recovered.durable);
  assert.deepEqual(rows, [{ n: 2_001 }]);
  await recovered.close();
});
