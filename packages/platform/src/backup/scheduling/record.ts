import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { BACKUP_DAYS, type BackupDay, type Backups, MAX_LISTED_BACKUPS } from "@backplane/contract/backups";
import { type Database, openSnapshot, sqlitePath } from "@backplane/kit/database";
import { isProcessAlive } from "@backplane/kit/process-alive";
import type { BackupTimes, Settings } from "@backplane/kit/settings";
import { sql } from "kysely";
import type { PlatformTables } from "../../tables.ts";
import type { Progress, Taken } from "../taking/take.ts";

type Backed = Database<PlatformTables>;
type Row = PlatformTables["backups"];

/** A backup that has said nothing for so long was killed. On this machine that is seen at once. */
const SILENT_MS = 60_000;

const holder = (): string => `${hostname()} ${process.pid}`;

function hasEnded(row: Pick<Row, "holder" | "seen_at_ms">, nowMs: number): boolean {
  const [host, pid] = row.holder.split(" ");
  return row.seen_at_ms < nowMs - SILENT_MS || (host === hostname() && !isProcessAlive(Number(pid)));
}
/** A scheduled one that failed is tried again after this. */
const RETRY_AFTER_MS = 3_600_000;
/** Rows that are kept. */
const KEPT_ROWS = 500;
const DAY_MS = 86_400_000;

const INTERRUPTED = "It was interrupted: its process ended. Start it again.";

/** Backups that were killed count as failed from now on. */
async function endSilent({ durable }: Backed, nowMs: number): Promise<void> {
  const running = await durable.selectFrom("backups").selectAll().where("state", "=", "running").execute();
  for (const row of running.filter((each) => hasEnded(each, nowMs))) {
    await durable
      .updateTable("backups")
      .set({ state: "failed", error: INTERRUPTED, finished_at_ms: nowMs })
      .where("id", "=", row.id)
      .where("state", "=", "running")
      .where("seen_at_ms", "=", row.seen_at_ms)
      .execute();
  }
}

/** The id of the backup that may begin now; undefined if another one runs, on any instance. */
export async function claimBackup(
  database: Backed,
  { place, nowMs, dueMs }: { place: string; nowMs: number; dueMs?: number },
): Promise<string | undefined> {
  await endSilent(database, nowMs);
  const id = randomUUID();
  const isScheduled = dueMs === undefined ? 0 : 1;
  // Of several instances one wins: one row can be running, and a due one is not done twice.
  const begun = sql`select ${id}, 'running', ${place}, cast(${isScheduled} as integer), cast(${nowMs} as bigint), cast(${nowMs} as bigint), '', ${holder()}`;
  const unlessDone = sql`where not exists (select 1 from backups where state <> 'failed' and started_at_ms >= ${dueMs ?? nowMs + DAY_MS}
    or state = 'failed' and is_scheduled = 1 and started_at_ms >= ${dueMs === undefined ? nowMs + DAY_MS : nowMs - RETRY_AFTER_MS})`;
  const { numAffectedRows } = await sql`
    insert into backups (id, state, place, is_scheduled, started_at_ms, seen_at_ms, step, holder) ${begun} ${unlessDone}
    on conflict do nothing`.execute(database.durable);
  return (numAffectedRows ?? 0n) > 0n ? id : undefined;
}

export async function noteProgress(
  { durable }: Backed,
  id: string,
  { step, bytes }: Progress,
  nowMs: number,
): Promise<void> {
  await durable
    .updateTable("backups")
    .set({ step, bytes, seen_at_ms: nowMs, holder: holder() })
    .where("id", "=", id)
    .where("state", "=", "running")
    .execute();
}

export async function noteDone(
  database: Backed,
  id: string,
  taken: Taken & { place: string },
  nowMs: number,
): Promise<void> {
  const { durable } = database;
  await durable
    .updateTable("backups")
    .set({ state: "done", finished_at_ms: nowMs, moment_ms: taken.momentMs, bytes: taken.bytes, place: taken.place })
    .where("id", "=", id)
    .execute();
  const kept = durable.selectFrom("backups").select("id").orderBy("started_at_ms", "desc").limit(KEPT_ROWS);
  await durable.deleteFrom("backups").where("id", "not in", kept).execute();
}

export async function noteFailed({ durable }: Backed, id: string, error: string, nowMs: number): Promise<void> {
  await durable
    .updateTable("backups")
    .set({ state: "failed", error, finished_at_ms: nowMs })
    .where("id", "=", id)
    .where("state", "=", "running")
    .execute();
}

export async function readBackups(database: Backed, every: BackupTimes | undefined, nowMs: number): Promise<Backups> {
  await endSilent(database, nowMs);
  const rows = await database.durable
    .selectFrom("backups")
    .selectAll()
    .orderBy("started_at_ms", "desc")
    .limit(MAX_LISTED_BACKUPS)
    .execute();
  const next = every === undefined ? undefined : nextMs(every, rows, nowMs);
  const days = await readDays(database, nowMs);
  return { backups: rows.map(toBackup), days, ...(next === undefined ? {} : { next: isoOf(next) }) };
}

async function readDays({ durable }: Backed, nowMs: number): Promise<BackupDay[]> {
  const days = Array.from({ length: BACKUP_DAYS }, (_, at) => dayOf(nowMs - (BACKUP_DAYS - 1 - at) * DAY_MS));
  const rows = await durable
    .selectFrom("backups")
    .select(["state", "started_at_ms", "error"])
    .where("started_at_ms", ">=", Date.parse(days[0] ?? ""))
    .orderBy("started_at_ms")
    .execute();
  const byDay = Map.groupBy(rows, ({ started_at_ms }) => dayOf(started_at_ms));
  return days.map((day) => {
    const ofDay = byDay.get(day) ?? [];
    const failed = ofDay.filter(({ state }) => state === "failed");
    const error = failed.at(-1)?.error ?? undefined;
    const done = ofDay.filter(({ state }) => state === "done").length;
    return { day, done, failed: failed.length, ...(error === undefined ? {} : { error }) };
  });
}

const dayOf = (ms: number): string => isoOf(ms).slice(0, 10);

/** The same for a program that only looks: nothing is written, also not into a new home folder. */
export async function knownBackups({ databaseUrl: url, home }: Settings): Promise<Backups["backups"]> {
  if (url === undefined && !existsSync(sqlitePath(home))) return [];
  await using snapshot = await openSnapshot({ url, home });
  if (!(await snapshot.tables()).includes("backups")) return [];
  const rows: Row[] = [];
  for await (const batch of snapshot.read("backups")) {
    for (const row of batch.rows)
      rows.push(Object.fromEntries(batch.columns.map((name, at) => [name, row[at]])) as Row);
  }
  return rows.sort((a, b) => b.started_at_ms - a.started_at_ms).map(toBackup);
}

/** When a scheduled backup was last due. */
export function dueMs(every: BackupTimes, nowMs: number): number {
  const [period, offset] = "everyMs" in every ? [every.everyMs, 0] : [DAY_MS, every.minuteOfDay * 60_000];
  return Math.floor((nowMs - offset) / period) * period + offset;
}

function nextMs(every: BackupTimes, rows: readonly Row[], nowMs: number): number {
  const due = dueMs(every, nowMs);
  const isDone = rows.some(({ state, started_at_ms }) => state !== "failed" && started_at_ms >= due);
  const period = "everyMs" in every ? every.everyMs : DAY_MS;
  return isDone ? due + period : nowMs;
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

const toBackup = (row: Row): Backups["backups"][number] => ({
  ...{ id: row.id, startedAt: isoOf(row.started_at_ms), place: row.place, state: row.state },
  ...(row.finished_at_ms === null ? {} : { finishedAt: isoOf(row.finished_at_ms) }),
  ...(row.moment_ms === null ? {} : { moment: isoOf(row.moment_ms) }),
  ...(row.state === "running" || row.bytes === null ? {} : { bytes: row.bytes }),
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.state === "running" ? { progress: { step: row.step, bytes: row.bytes ?? 0 } } : {}),
});
