import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import {
  backupOf,
  emptyInstallation,
  fileIn,
  filesIn,
  type OpenEngine,
  openIn,
  tablesIn,
  usedInstallation,
} from "./installation.suite.ts";
import { moveDatabase } from "./moving/move-database.ts";
import { readFile } from "./places/folder-place.ts";
import { interruptedRestore, NotEmpty, restoreBackup, undoRestore } from "./restoring/restore.ts";
import { KEPT_TABLES } from "./tables.ts";

/** What must hold for backups from one engine into the other, or into the same. */
export function testBackups(names: string, from: OpenEngine, to: OpenEngine): void {
  test(`${names}: a restored backup has every row and file, and what is added later gets numbers of its own`, async (t) => {
    const { settings, database } = await usedInstallation(t, from);
    const path = join(settings.home, "backups", "b.tar");
    const before = await tablesIn(settings);
    const { momentMs } = await backupOf(settings, path);
    const target = await emptyInstallation(t, to);
    const { moment } = await restoreBackup({ settings: target, source: () => readFile(path), fetch });
    assert.equal(moment, new Date(momentMs).toISOString());
    const after = await tablesIn(target);
    for (const table of [...KEPT_TABLES, "migrations"]) assert.equal(after[table], before[table], table);
    assert.deepEqual(Object.keys(filesIn(target.projectsFolder)), [
      ".recordings/w/whole.mcap",
      "@o/rover/Ordner mit Ä/tief/x.bin",
      "@o/rover/board.txt",
    ]);
    assert.deepEqual(filesIn(join(target.home, "archives")), filesIn(join(settings.home, "archives")));
    assert.deepEqual(Object.keys(filesIn(target.viewerProject)), [
      "screenshots/sp/.pastes/a.json",
      "screenshots/sp/yaw-10x10.png",
    ]);
    for (const name of ["owner.json", "watchdog-token"]) {
      assert.equal(filesIn(target.home)[name], filesIn(settings.home)[name]);
    }
    assert.equal(existsSync(join(target.home, ".restore")), false);
    assert.equal(interruptedRestore(target.home), undefined);

    const restored = await openIn(target);
    t.after(() => restored.close());
    const row = { workspace_id: "w", at_ms: 1, level: "info", source: "s", message: "three" };
    for (const each of [database, restored]) await each.durable.insertInto("panels_log").values(row).execute();
    const { rows } = await sql<{ id: number }>`select max(id) as id from panels_log`.execute(restored.durable);
    assert.equal(Number(rows[0]?.id), 3);
  });

  test(`${names}: a restore never touches a target that has anything`, async (t) => {
    const { settings } = await usedInstallation(t, from);
    const path = join(settings.home, "backups", "b.tar");
    await backupOf(settings, path);
    const restore = (target: typeof settings) =>
      restoreBackup({ settings: target, source: () => readFile(path), fetch });
    await assert.rejects(restore(settings), NotEmpty);
    for (const place of [
      "home/archives/archives/x.zip",
      "home/projects/@o/r/x",
      "project/screenshots/sp/x.png",
      "home/owner.json",
    ]) {
      const target = await emptyInstallation(t, to);
      fileIn(join(target.home, ".."), place, "precious");
      await assert.rejects(restore(target), NotEmpty, place);
      assert.deepEqual(Object.keys(filesIn(join(target.home, ".."))), [place]);
    }
  });

  test(`${names}: an interrupted restore is noticed, and undone`, async (t) => {
    const { settings } = await usedInstallation(t, from);
    const path = join(settings.home, "backups", "b.tar");
    await backupOf(settings, path);
    const target = await emptyInstallation(t, to);
    let reads = 0;
    async function* source() {
      reads += 1;
      const isSecond = reads === 2;
      let left = 60_000;
      for await (const piece of readFile(path)) {
        yield isSecond ? piece.subarray(0, left) : piece;
        left -= piece.length;
        if (isSecond && left < 0) throw new Error("the cable was pulled");
      }
    }
    await assert.rejects(restoreBackup({ settings: target, source, fetch }), /cable/);
    mkdirSync(join(target.home, ".."), { recursive: true });
    assert.deepEqual(filesIn(join(target.home, "..")), {});

    // As if the process had been killed while it moved files to their places.
    fileIn(target.home, "archives/archives/x.zip", "x");
    fileIn(target.home, ".restore/owner.json", "x");
    const journal = { begunAt: "", placed: [join(target.home, "archives", "archives")], objects: false };
    writeFileSync(join(target.home, "restore.json"), JSON.stringify(journal));
    assert.match(interruptedRestore(target.home) ?? "", /restore --undo/);
    await assert.rejects(restoreBackup({ settings: target, source: () => readFile(path), fetch }), /was interrupted/);
    assert.deepEqual(await undoRestore({ settings: target, fetch }), { left: "empty" });
    assert.deepEqual(filesIn(join(target.home, "..")), {});
    await restoreBackup({ settings: target, source: () => readFile(path), fetch });
    writeFileSync(join(target.home, "restore.json"), JSON.stringify(journal));
    assert.deepEqual(await undoRestore({ settings: target, fetch }), { left: "whole", moment: undefined });
    assert.ok(existsSync(join(target.home, "archives/archives/first/1.0.0.zip")));

    // With another database it would look empty, and its files would be removed.
    const elsewhere = { database: "postgres://elsewhere/db", archives: join(target.home, "archives") };
    writeFileSync(join(target.home, "restore.json"), JSON.stringify({ ...journal, target: elsewhere }));
    await assert.rejects(
      undoRestore({ settings: target, fetch }),
      /Set DATABASE_URL to postgres:\/\/elsewhere\/db, then/,
    );
    assert.ok(existsSync(join(target.home, "archives/archives/first/1.0.0.zip")));
  });

  test(`${names}: what is removed or replaced while a backup runs is not half there`, async (t) => {
    const { settings } = await usedInstallation(t, from);
    const path = join(settings.home, "backups", "b.tar");
    const { fileSink } = await import("./places/folder-place.ts");
    const { takeBackup } = await import("./taking/take.ts");
    const sink = await fileSink(path);
    let isFirst = true;
    const onProgress = ({ step }: { step: string }) => {
      if (step !== "files" || !isFirst) return;
      // Called before files are copied, and again after the moment.
      isFirst = false;
      queueMicrotask(() => {
        rmSync(join(settings.projectsFolder, "@o/rover/board.txt"));
        fileIn(settings.projectsFolder, "@o/rover/new.txt", "new");
        fileIn(settings.projectsFolder, "@o/later/new.txt", "of a workspace that has no row");
      });
    };
    await takeBackup({ settings, sink, now: Date.now, fetch, onProgress });
    await sink.finish();
    const target = await emptyInstallation(t, to);
    await restoreBackup({ settings: target, source: () => readFile(path), fetch });
    const files = Object.keys(filesIn(target.projectsFolder));
    assert.ok(files.includes("@o/rover/new.txt") && !files.includes("@o/rover/board.txt"), files.join());
  });

  test(`${names}: a move copies every row of every table, and back`, async (t) => {
    const { settings, database } = await usedInstallation(t, from);
    const session = {
      id: "s",
      user_id: (await database.durable.selectFrom("users").select("id").executeTakeFirstOrThrow()).id,
    };
    const rest = { kind: "Browser", token_hash: "h", name: "n", program: null, address: "", created_at_ms: 1 };
    await database.durable
      .insertInto("sessions")
      .values({
        ...session,
        ...rest,
        last_used_at_ms: 1,
        expires_at_ms: 1,
        refused_address: null,
        refused_at_ms: null,
      } as never)
      .execute();
    const before = await tablesIn(settings);
    const target = await emptyInstallation(t, to);
    const move = (from: typeof settings, to: typeof settings, home: string) =>
      moveDatabase({ home, from: from.databaseUrl, to: to.databaseUrl, nowMs: Date.now() });
    if (settings.databaseUrl === target.databaseUrl) return;
    const home = settings.databaseUrl === undefined ? settings.home : target.home;
    const moved = await move(settings, target, home);
    assert.deepEqual(await tablesIn(target.databaseUrl === undefined ? { ...target, home } : target), before);
    assert.equal(moved.sessions?.rows, 1);
    await assert.rejects(move(settings, target, home), NotEmpty, "nothing is overwritten");
    if (settings.databaseUrl !== undefined) return;
    const back = await emptyInstallation(t, from);
    await move(target, back, back.home);
    assert.deepEqual(await tablesIn(back), before);
  });
}
