import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type AccountTables, ensureOwner, migrations } from "@backplane/accounts";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { hashSecret } from "@backplane/kit/secrets";
import { resetPassword } from "./reset-password.ts";
import { runHere } from "./run-here.suite.ts";

test("reset-password makes a link for one new password, and names what is missing", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "reset-"));
  t.after(() => rmSync(home, { recursive: true }));
  const env = { BACKPLANE_HOME: home, BASE_URL: "https://backplane.example" };
  const run = (name: string, json = false) =>
    runHere({ cwd: home, env }, (host) => resetPassword(host, name, { json }));

  const nothing = await run("owner");
  assert.equal(nothing.code, 5);
  assert.match(nothing.stderr, /There is no database in .*\n.*BACKPLANE_HOME/);
  assert.equal(existsSync(join(home, "backplane.db")), false, "it creates no database");

  // Open all the time, as by a running platform.
  const database: Database<AccountTables> = await openDatabase({ url: undefined, home, onLostConnection: () => {} });
  t.after(() => database.close());
  const older = await run("owner");
  assert.equal(older.code, 3);
  assert.match(older.stderr, /Start it once with: backplane up/);

  await migrate(database as Database<unknown>, migrations, Date.now);
  await ensureOwner({ database, home, name: "owner", password: undefined, now: Date.now });
  const unknown = await run("nobody", true);
  assert.deepEqual([unknown.code, JSON.parse(unknown.stdout).error.code], [5, "not-found"]);

  const text = await run("Owner");
  assert.equal(text.code, 0, text.stderr);
  assert.match(
    text.stdout,
    /for Owner\. It works once, for .*\n\nhttps:\/\/backplane\.example\/auth\/reset#rst_[\w-]{43}\n/,
  );
  assert.doesNotMatch(text.stdout, /only on this machine/);
  const { url, expiresAt } = JSON.parse((await run("owner", true)).stdout);
  const rows = await database.durable.selectFrom("password_resets").selectAll().execute();
  assert.deepEqual(
    rows.map(({ token_hash, created_by, expires_at_ms }) => [token_hash, created_by, expires_at_ms]),
    [[hashSecret(url.split("#")[1]), null, Date.parse(expiresAt)]],
  );
  env.BASE_URL = "http://localhost:8790";
  assert.match((await run("owner")).stdout, /opens only on this machine\. Set BASE_URL/);
});
