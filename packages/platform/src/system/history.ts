import { SYSTEM_LIMITS, type SystemDay } from "@backplane/contract/system";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { PlatformTables } from "../tables.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MEASURE_EVERY_MS = 600_000;

export type Measured = { answerMs: number; databaseBytes: number; archiveBytes: number; fileBytes: number };

export type HistoryOptions = {
  database: Database<PlatformTables>;
  now: Clock;
  measure: () => Promise<Measured>;
  onFault: (error: unknown) => void;
  /** For tests. */
  measureEveryMs?: number;
};

export type History = {
  /** The oldest first; days on which nothing ran are left out. */
  read(): Promise<SystemDay[]>;
  close(): Promise<void>;
};

/** Answer times and sizes of the last days: one row per hour, which all instances share. */
export function openHistory(options: HistoryOptions): History {
  const { database, now, measure, onFault, measureEveryMs = MEASURE_EVERY_MS } = options;
  const { shortLived } = database;
  const oldestMs = () => now() - SYSTEM_LIMITS.historyDays * DAY_MS;

  async function note(): Promise<void> {
    const { answerMs, databaseBytes, archiveBytes, fileBytes } = await measure();
    const hour_ms = now() - (now() % HOUR_MS);
    const sizes = { database_bytes: databaseBytes, archive_bytes: archiveBytes, file_bytes: fileBytes };
    await shortLived
      .insertInto("system_hours")
      .values({ hour_ms, slowest_us: Math.round(answerMs * 1_000), ...sizes })
      .onConflict((known) =>
        known.column("hour_ms").doUpdateSet((row) => ({
          ...sizes,
          slowest_us: row
            .case()
            .when("excluded.slowest_us", ">", row.ref("system_hours.slowest_us"))
            .then(row.ref("excluded.slowest_us"))
            .else(row.ref("system_hours.slowest_us"))
            .end(),
        })),
      )
      .execute();
    await shortLived.deleteFrom("system_hours").where("hour_ms", "<", oldestMs()).execute();
  }

  let noting = Promise.resolve();
  const noteNext = () => {
    noting = noting.then(note).catch(onFault);
  };
  const timer = setInterval(noteNext, measureEveryMs).unref();
  noteNext();

  return {
    async read() {
      const rows = await shortLived
        .selectFrom("system_hours")
        .selectAll()
        .where("hour_ms", ">=", oldestMs())
        .orderBy("hour_ms")
        .execute();
      return [...Map.groupBy(rows, ({ hour_ms }) => new Date(hour_ms).toISOString().slice(0, 10))].map(dayOf);
    },
    async close() {
      clearInterval(timer);
      await noting;
    },
  };
}

type Row = PlatformTables["system_hours"];

/** The slowest answer of the day, and the sizes at its end. */
function dayOf([day, rows]: [string, Row[]]): SystemDay {
  const last = rows.at(-1) as Row;
  return {
    ...{ day, slowestMs: Math.max(...rows.map(({ slowest_us }) => slowest_us)) / 1_000 },
    ...{ databaseBytes: last.database_bytes, archiveBytes: last.archive_bytes, fileBytes: last.file_bytes },
  };
}
