import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { migrations } from "@backplane/accounts";
import { migrate, openDatabase } from "@backplane/kit/database";
import { createTestDatabase } from "../../../scripts/services/index.ts";
import { resetPassword } from "./reset-password.ts";
import { runHere } from "./run-here.suite.ts";

test("reset-password finds its table in PostgreSQL, and leaves no file behind", async (t) => {
  await using fresh = await createTestDatabase();
  const home = mkdtempSync(join(tmpdir(), "reset-"));
  t.after(() => rmSync(home, { recursive: true }));
  const env = { BACKPLANE_HOME: home, DATABASE_URL: fresh.url };
  const run = () => runHere({ cwd: home, env }, (host) => resetPassword(host, "nobody", {}));
  assert.match((await run()).stderr, /has not been used by this version/);
  const database = await openDatabase({ url: fresh.url, home, onLostConnection: () => {} });
  await migrate(database, migrations, Date.now);
  await database.close();
  const { code, stderr } = await run();
  assert.equal(code, 5);
  assert.match(stderr, /There is no account with the name nobody/);
  assert.deepEqual(readdirSync(home), []);
});
