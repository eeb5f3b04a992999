import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/index.ts";
import type { Log } from "../log.ts";
import { Problem } from "../problems.ts";
import { createAnswerTimes } from "./answer-times.ts";
import { type ClusterFault, clusterFaults, type Instance, sentenceOf } from "./cluster-faults.ts";

/** How often an instance says that it is there, and looks for others. */
const BEAT_EVERY_MS = 5_000;
/** An instance that was not seen for longer has ended. */
const SEEN_WITHIN_MS = 20_000;
/** How exactly clocks are compared depends on how fast the database answers: a slower answer tells nothing. */
const MAX_ROUND_TRIP_MS = 1_000;

type InstanceTables = {
  instances: {
    id: string;
    name: string;
    bus: string;
    archives: string;
    clock_offset_ms: number;
    seen_at_ms: number;
    version: string | null;
    started_at_ms: number | null;
    connected: number | null;
    memory_bytes: number | null;
    /** JSON: see AnswerTimes. */
    answers_ms: string | null;
  };
};

export type Instances = {
  /** Those that are there now, at least this one. */
  read(): Promise<Instance[]>;
  /** Rejects with what is wrong with the instances together. */
  check(): Promise<void>;
  close(): Promise<void>;
};

type JoinOptions = {
  database: Database<unknown>;
  /** `name`: the machine and port, so that a process replaces the one that was there before. */
  self: { name: string; bus: string; archives: string; version: string };
  /** Told to the others with every beat. */
  vitals?: () => { connected: number; memoryBytes: number };
  log: Log;
  now: Clock;
  beatEveryMs?: number;
};

/** PostgreSQL's clock is the same for all instances. */
const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Instances find each other in the database they share: settings that work for one platform but not for several are found
 * by nothing else. SQLite has only one.
 */
export async function joinInstances({
  database,
  self,
  vitals = () => ({ connected: 0, memoryBytes: process.memoryUsage.rss() }),
  log,
  now,
  beatEveryMs = BEAT_EVERY_MS,
}: JoinOptions): Promise<Instances> {
  const startedAtMs = now();
  const answers = createAnswerTimes(now);
  if (database.engine === "sqlite") {
    const alone = () => ({ ...self, clockOffsetMs: 0, startedAtMs, ...vitals(), answersMs: answers.read() });
    const measure = () => timeOf(() => database.ping()).then(answers.add, () => {});
    await measure();
    const timer = setInterval(measure, beatEveryMs).unref();
    return { read: async () => [alone()], check: async () => {}, close: async () => clearInterval(timer) };
  }
  const db = database.shortLived as Kysely<InstanceTables>;
  const id = randomUUID();
  let clockOffsetMs = 0;
  let faults: readonly ClusterFault[] = [];
  let isSeen = false;
  let beating: Promise<void> | undefined;

  async function beat(): Promise<void> {
    isSeen = false;
    answers.add(
      await timeOf(async () => {
        clockOffsetMs = (await measureClock(db, now)) ?? clockOffsetMs;
      }),
    );
    const { connected, memoryBytes } = vitals();
    const row = {
      ...{ ...self, clock_offset_ms: clockOffsetMs, seen_at_ms: databaseNow },
      ...{ started_at_ms: startedAtMs, connected, memory_bytes: memoryBytes },
      answers_ms: JSON.stringify(answers.read()),
    };
    await db
      .insertInto("instances")
      .values({ id, ...row })
      .onConflict((known) => known.column("id").doUpdateSet(row))
      .execute();
    report(clusterFaults(await readInstances(database)));
    isSeen = true;
  }
  function report(found: readonly ClusterFault[]): void {
    const known = new Set(faults.map(({ about }) => about));
    for (const fault of found) if (!known.has(fault.about)) log.error(sentenceOf(fault));
    if (found.length === 0 && faults.length > 0) log.info("the instances agree again");
    faults = found;
  }

  const isGone = sql<boolean>`seen_at_ms <= ${databaseNow} - ${sql.lit(SEEN_WITHIN_MS)}`;
  await db
    .deleteFrom("instances")
    .where((row) => row.or([row("name", "=", self.name), isGone]))
    .execute();
  await beat();
  const timer = setInterval(() => {
    beating ??= beat()
      .catch((error: unknown) => log.warn({ err: error }, "instances fault"))
      .finally(() => {
        beating = undefined;
      });
  }, beatEveryMs).unref();
  return {
    read: () => readInstances(database),
    async check() {
      if (faults.length === 0) return;
      throw new Problem("not-ready", { detail: faults.map(sentenceOf).join(" ") });
    },
    async close() {
      clearInterval(timer);
      await beating;
      // While the database is away, the others notice by the time.
      if (isSeen)
        await db
          .deleteFrom("instances")
          .where("id", "=", id)
          .execute()
          .catch(() => {});
    },
  };
}

/** The instances that are there now. */
export async function readInstances(database: Database<unknown>): Promise<Instance[]> {
  const db = database.shortLived as Kysely<InstanceTables>;
  const rows = await db
    .selectFrom("instances")
    .select(["name", "bus", "archives", "clock_offset_ms", "version", "started_at_ms", "connected"])
    .select(["memory_bytes", "answers_ms"])
    .where("seen_at_ms", ">", sql<number>`${databaseNow} - ${sql.lit(SEEN_WITHIN_MS)}`)
    .orderBy("name")
    .execute();
  return rows.map(({ name, bus, archives, ...row }) => ({
    ...{ name, bus, archives, clockOffsetMs: row.clock_offset_ms, version: row.version ?? undefined },
    ...{ startedAtMs: row.started_at_ms ?? undefined, connected: row.connected ?? undefined },
    memoryBytes: row.memory_bytes ?? undefined,
    answersMs: row.answers_ms === null ? undefined : (JSON.parse(row.answers_ms) as (number | null)[]),
  }));
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** How far this clock is ahead of the database's. */
async function measureClock(db: Kysely<InstanceTables>, now: Clock): Promise<number | undefined> {
  const sentMs = now();
  const { rows } = await sql<{ now: number }>`select ${databaseNow} as now`.execute(db);
  const roundTripMs = now() - sentMs;
  const [row] = rows;
  if (!row || roundTripMs > MAX_ROUND_TRIP_MS) return undefined;
  return Math.round(sentMs + roundTripMs / 2 - row.now);
}
