import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { migrate, openDatabase } from "@backplane/kit/database";
import { readSettings } from "@backplane/kit/settings";
import { refuseEmptied } from "./refuse-emptied.ts";

test("an empty database beside archives is refused, at every start until one of them is gone", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "backplane-emptied-"));
  t.after(() => rmSync(home, { recursive: true }));
  const settings = readSettings({ BACKPLANE_HOME: home }, "/");
  const start = async () => {
    const database = await openDatabase<unknown>({ url: undefined, home, onLostConnection: () => {} });
    try {
      await refuseEmptied(database, settings);
    } finally {
      await database.close();
    }
  };
  await start();
  // What a first start that was killed may leave.
  mkdirSync(join(home, "archives", ".incoming"), { recursive: true });
  writeFileSync(join(home, "archives", ".incoming", "x"), "x");
  await start();

  const archives = join(home, "archives", "archives", "org.example.bench");
  mkdirSync(archives, { recursive: true });
  writeFileSync(join(archives, "1.0.0.zip"), "zip");
  for (const _start of [1, 2]) {
    await assert.rejects(start(), (error: Error) => {
      assert.ok(
        error.message.startsWith(
          `The database ${join(home, "backplane.db")} is empty, but ${join(home, "archives")} holds packages.`,
        ),
      );
      assert.match(error.message, /Nothing was changed\. Restore the database from a backup, or move that folder away/);
      return true;
    });
  }
  assert.deepEqual(readdirSync(archives), ["1.0.0.zip"]);

  const database = await openDatabase<unknown>({ url: undefined, home, onLostConnection: () => {} });
  await migrate(database, [], () => 1);
  await database.close();
  await start();
});
