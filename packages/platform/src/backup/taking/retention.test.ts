import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readSettings } from "@backplane/kit/settings";
import { fileIn, usedInstallation } from "../installation.suite.ts";
import { runBackup } from "./run.ts";

/** A backup command of an installation that keeps so many. */
async function openBackups(t: TestContext, keep: number) {
  const used = await usedInstallation(t, async () => ({}));
  const folder = join(used.settings.home, "..");
  const to = join(folder, "kept");
  const env = { BACKPLANE_HOME: "home", VIEWER_PROJECT: "project", BACKUP_TO: to, BACKUP_KEEP: String(keep) };
  const settings = readSettings(env, folder);
  const run = (given?: string, signal = new AbortController().signal) =>
    runBackup({ ...{ settings, to: given, passphrase: undefined, id: undefined, signal }, onProgress: () => {} });
  return { run, to, folder, names: () => readdirSync(to).sort() };
}

test("the newest BACKUP_KEEP backups at BACKUP_TO are kept; other files there are not touched", async (t) => {
  const { run, to, folder, names } = await openBackups(t, 2);
  const old = ["backplane-20200101T000000Z-00000001.tar", "backplane-20200102T000000Z-00000002.tar.age"];
  for (const name of [...old, "notes.txt", "backplane-20200101T000000Z-00000001.tar.bak"]) fileIn(to, name, "x");
  const first = await run();
  assert.deepEqual(first.removed, [join(to, old[0] ?? "")], "the oldest");
  const second = await run();
  assert.deepEqual(second.removed, [join(to, old[1] ?? "")]);
  const others = ["backplane-20200101T000000Z-00000001.tar.bak", "notes.txt"];
  assert.deepEqual(names(), [...[first, second].map(({ place }) => place.slice(to.length + 1)), ...others].sort());
  const elsewhere = await run(join(folder, "elsewhere.tar"));
  assert.deepEqual([elsewhere.removed, names().length], [[], 4], "one that goes elsewhere removes nothing");
});

test("the last good backup is never removed: not by one that fails, and not because of a wrong clock", async (t) => {
  const { run, to, names } = await openBackups(t, 1);
  const good = await run();
  await assert.rejects(run(undefined, AbortSignal.abort(new Error("stopped halfway"))), /stopped halfway/);
  assert.deepEqual(names(), [good.place.slice(to.length + 1)]);
  // Of a machine whose clock was wrong.
  const future = "backplane-20990101T000000Z-00000001.tar";
  fileIn(to, future, "x");
  const next = await run();
  assert.deepEqual(next.removed, [join(to, future), good.place].sort().reverse());
  assert.deepEqual(names(), [next.place.slice(to.length + 1)]);
});
