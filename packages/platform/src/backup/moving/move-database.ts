import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { syncFolder } from "@backplane/kit/atomic-file";
import { type Database, openDatabase, openSnapshot, type Snapshot, sqlitePath } from "@backplane/kit/database";
import { makePrivateFolder } from "@backplane/kit/folder";
import type { TableSummary } from "../format/layout.ts";
import { RowsDigest, rowLine } from "../format/rows.ts";
import { digestTable, type LoadedRows, loadTables } from "../restoring/load.ts";
import { NotEmpty } from "../restoring/restore.ts";
import { ALL_TABLES } from "../tables.ts";
import { appliedMigrations } from "../taking/take.ts";

export type MoveOptions = {
  home: string;
  /** postgres://…; undefined: the SQLite file of the home folder. */
  from: string | undefined;
  to: string | undefined;
  nowMs: number;
  onTable?: (table: string, rows: number) => void;
};

export type Moved = Record<string, TableSummary>;

/** Longer than a platform is silent: it says every 5 s that it runs. */
const RUNNING_MS = 15_000;
const STAGE = ".move";

/**
 * Copies every row of every table into an empty database of the other engine, and compares count and digest of each table
 * before it becomes visible. Call only while no platform runs; the source stays as it is.
 */
export async function moveDatabase({ home, from, to, nowMs, onTable }: MoveOptions): Promise<Moved> {
  if ((from === undefined) === (to === undefined) && from === to)
    throw new NotEmpty("Source and target are the same database.");
  if (from === undefined && !existsSync(sqlitePath(home))) throw new NotEmpty(`There is no database in ${home}.`);
  if (to === undefined && existsSync(sqlitePath(home))) {
    throw new NotEmpty(`${sqlitePath(home)} exists already. Move it away first; nothing is overwritten.`);
  }
  await using snapshot = await openSnapshot({ url: from, home });
  await refuseRunning(snapshot, nowMs);
  const stage = join(home, STAGE);
  rmSync(stage, { recursive: true, force: true });
  makePrivateFolder(stage);
  const target = await openDatabase<unknown>({ url: to, home: stage, connections: 3, onLostConnection: () => {} });
  const moved: Moved = {};
  try {
    if ((await target.durable.introspection.getTables()).length > 0) {
      throw new NotEmpty("The target database is not empty. Use an empty one; nothing is overwritten.");
    }
    await copyTables(snapshot, target, moved, onTable);
  } finally {
    await target.close();
    if (to === undefined && Object.keys(moved).length > 0 && existsSync(sqlitePath(stage))) {
      renameSync(sqlitePath(stage), sqlitePath(home));
      await syncFolder(home);
    }
    rmSync(stage, { recursive: true, force: true });
  }
  return moved;
}

async function copyTables(
  snapshot: Snapshot,
  target: Database<unknown>,
  moved: Moved,
  onTable: MoveOptions["onTable"],
): Promise<void> {
  const there = new Set(await snapshot.tables());
  const read: Record<string, TableSummary & { columns: readonly string[] }> = {};

  async function* batches(): AsyncGenerator<LoadedRows> {
    for (const table of ALL_TABLES.filter((name) => there.has(name))) {
      const digest = new RowsDigest();
      let known: readonly string[] = [];
      for await (const { columns, rows } of snapshot.read(table)) {
        known = columns;
        for (const row of rows) digest.add(rowLine(row));
        yield { table, columns, rows };
      }
      read[table] = { rows: digest.rows, sha256: digest.sha256, columns: known };
      onTable?.(table, digest.rows);
    }
  }

  await loadTables(target, await appliedMigrations(snapshot), batches(), async (transaction) => {
    for (const [table, { columns, ...expected }] of Object.entries(read)) {
      const found = await digestTable(target, transaction, table, columns);
      if (found.rows !== expected.rows || found.sha256 !== expected.sha256) {
        throw new Error(
          `The table ${table} is not the same in the target: ${found.rows} of ${expected.rows} rows. Nothing was moved.`,
        );
      }
    }
  });
  for (const [table, { rows, sha256 }] of Object.entries(read)) moved[table] = { rows, sha256 };
}

/** Platforms on one SQLite file hold the home folder instead. */
export async function refuseRunning(snapshot: Snapshot, nowMs: number): Promise<void> {
  if (!(await snapshot.tables()).includes("instances")) return;
  for await (const { columns, rows } of snapshot.read("instances")) {
    const running = rows.find((row) => Number(row[columns.indexOf("seen_at_ms")]) > nowMs - RUNNING_MS);
    if (!running) continue;
    const name = String(running[columns.indexOf("name")]);
    throw new NotEmpty(`A platform uses the database: ${name}. Stop it, wait 15 seconds, then move again.`);
  }
}
