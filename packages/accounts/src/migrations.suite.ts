import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Database, migrate } from "@backplane/kit/database";
import { sql } from "kysely";
import { ensureOwner } from "./accounts/owner.ts";
import { createApiKeyStore } from "./api-keys/store.ts";
import type { OpenTestDatabase } from "./callers/site.suite.ts";
import { migrations } from "./migrations.ts";
import { openOwners } from "./organisations/owners.ts";

/** A database that an earlier version filled stays what it was. */
export function testMigrations(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: the owner and the first key of the previous version are found by their names and scopes`, async (t) => {
    const database = await open(t);
    const bare = database as Database<unknown>;
    await migrate(bare, migrations.slice(0, 1), () => 1);
    await sql`insert into users (id, name, email, password_hash, is_owner, created_at_ms)
      values ('u1', 'Ada', 'Ada@localhost', 'h', 1, 1), ('u2', 'bob', 'bob@localhost', 'h', 0, 2)`.execute(
      bare.durable,
    );
    await sql`insert into api_keys (id, user_id, name, key_hash, created_at_ms)
      values ('k1', 'u1', 'first start', 'kh', 1)`.execute(bare.durable);

    const rest = migrations.slice(1).map(({ name }) => name);
    assert.deepEqual(await migrate(bare, migrations, () => 2), rest);
    assert.deepEqual(await migrate(bare, migrations, () => 3), []);

    const home = mkdtempSync(join(tmpdir(), "migrations-"));
    t.after(() => rmSync(home, { recursive: true }));
    const isNew = await ensureOwner({ database, home, name: "eve", password: undefined, now: () => 3 });
    assert.equal(isNew, false, "there is an owner already");
    assert.equal(await openOwners(database).resolve("u1", "ada"), "u1");
    assert.equal(await openOwners(database).resolve("u1", "bob"), undefined);
    const [key] = await createApiKeyStore(database).list("u1");
    assert.deepEqual([key?.name, key?.scopes], ["first start", "panels,publish,read"]);
    await database.durable.deleteFrom("users").where("id", "=", "u2").execute();
    assert.equal(await openOwners(database).resolve("u2", "bob"), undefined);
  });
}
