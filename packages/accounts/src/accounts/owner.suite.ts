import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Database, migrate } from "@backplane/kit/database";
import { hashSecret } from "@backplane/kit/secrets";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { migrations } from "../migrations.ts";
import type { AccountTables } from "../tables.ts";
import { verifyPassword } from "../users/passwords.ts";
import { ensureOwner, type OwnerCredentials } from "./owner.ts";

/** The first start, on a real engine; `open` gives a fresh, empty database. */
export function testOwner(engine: string, open: (t: TestContext) => Promise<Database<AccountTables>>): void {
  const rule = ruleTest(engine);
  async function prepare(t: TestContext) {
    const database = await open(t);
    await migrate(database as Database<unknown>, migrations, () => 1);
    const newHome = () => {
      const home = mkdtempSync(join(tmpdir(), "owner-"));
      t.after(() => rmSync(home, { recursive: true }));
      return home;
    };
    const first = (home: string, password?: string) =>
      ensureOwner({ database, home, name: "ada", password, now: () => 7 });
    const users = () => database.durable.selectFrom("users").selectAll().execute();
    return { database, newHome, first, users };
  }
  const readOwner = (home: string) => JSON.parse(readFileSync(join(home, "owner.json"), "utf8")) as OwnerCredentials;

  test(`${engine}: the first start creates an account, a key, and an owner.json that only the owner can read`, async (t) => {
    const { database, newHome, first, users } = await prepare(t);
    const home = newHome();
    assert.equal(await first(home), true);
    const owner = readOwner(home);
    assert.deepEqual(Object.keys(owner), ["name", "email", "password", "api_key"]);
    assert.equal(statSync(join(home, "owner.json")).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(home), ["owner.json"]);
    const [user] = await users();
    assert.equal(user?.name, "ada");
    assert.ok(await verifyPassword(owner.password, user?.password_hash ?? ""));
    assert.equal(await verifyPassword("wrong", user?.password_hash ?? ""), false);
    const [key] = await database.durable.selectFrom("api_keys").selectAll().execute();
    assert.match(owner.api_key, /^bpk_[\w-]{43}$/);
    assert.equal(key?.key_hash, hashSecret(owner.api_key));
    assert.doesNotMatch(JSON.stringify([user, key]), new RegExp(`${owner.password}|${owner.api_key}`));
  });

  rule(`${engine}: a later start changes nothing`, async (t) => {
    const { newHome, first, users } = await prepare(t);
    const home = newHome();
    await first(home);
    const before = [readOwner(home), await users()];
    assert.equal(await first(home, "another password"), false);
    assert.deepEqual([readOwner(home), await users()], before);
  });

  rule(
    `${engine}: a start that was interrupted after writing the file continues with the file's credentials`,
    async (t) => {
      const { newHome, first, users } = await prepare(t);
      const home = newHome();
      const saved = { name: "eve", email: "eve@localhost", password: "from the file", api_key: "bpk_x" };
      writeFileSync(join(home, "owner.json"), JSON.stringify(saved));
      assert.equal(await first(home), true);
      const [user] = await users();
      assert.equal(user?.name, "eve");
      assert.ok(await verifyPassword(saved.password, user?.password_hash ?? ""));
    },
  );

  rule(`${engine}: a damaged owner.json is named, and its content is not repeated`, async (t) => {
    const { newHome, first } = await prepare(t);
    const home = newHome();
    writeFileSync(join(home, "owner.json"), '{"name":"ada","password":c4nary}');
    await assert.rejects(first(home), (error: Error) => {
      assert.match(error.message, /owner\.json is damaged/);
      assert.doesNotMatch(error.stack ?? "", /c4nary/);
      return true;
    });
  });

  test(`${engine}: when eight instances with separate homes start together, one creates the owner`, async (t) => {
    const { newHome, first, users } = await prepare(t);
    const homes = Array.from({ length: 8 }, newHome);
    const made = await Promise.all(homes.map((home) => first(home)));
    assert.equal(made.filter(Boolean).length, 1);
    assert.equal((await users()).length, 1);
    const files = homes.filter((home) => readdirSync(home).length > 0);
    assert.deepEqual(files, [homes[made.indexOf(true)]]);
  });

  rule(`${engine}: a given password is used`, async (t) => {
    const { newHome, first } = await prepare(t);
    const home = newHome();
    await first(home, "correct horse battery");
    assert.equal(readOwner(home).password, "correct horse battery");
  });
}
