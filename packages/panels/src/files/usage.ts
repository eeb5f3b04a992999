import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import { sql } from "kysely";
import type { Files, Usage } from "../services.ts";
import type { PanelsTables } from "../tables.ts";

/** Longer than writing one file takes: what a killed process has begun is counted out after this. */
const WRITING_LIFE_MS = 60_000;
/** Counting reads every folder of an owner: at most this often. */
const COUNT_EVERY_MS = 60_000;

export type UsageOptions = {
  database: Database<PanelsTables>;
  /** Counts on the disk. */
  measure: Files["sizeOf"];
  maxBytes: number;
  now: Clock;
  onFault: (error: unknown) => void;
};

export function createUsage({ database, measure, maxBytes, now, onFault }: UsageOptions): Usage {
  // What a power cut loses is counted again.
  const { shortLived: tables } = database;

  /** One statement decides: of several writers on any instances, only those for which there is room begin. */
  async function begin(ownerId: string, more: number): Promise<boolean> {
    const { numUpdatedRows } = await tables
      .updateTable("panels_usage")
      .set((row) => ({
        bytes: row("bytes", "+", more),
        writing: row("writing", "+", 1),
        changes: row("changes", "+", 1),
        begun_at_ms: now(),
      }))
      .where("owner_id", "=", ownerId)
      .$if(more > 0, (update) => update.where("bytes", "<=", maxBytes - more))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** The file is written or deleted already: a fault here is only reported, and counting corrects it later. */
  async function end(ownerId: string, less: number): Promise<void> {
    const lessOrZero = (column: "bytes" | "writing", by: number) =>
      sql<number>`case when ${sql.ref(column)} > ${by} then ${sql.ref(column)} - ${by} else 0 end`;
    await tables
      .updateTable("panels_usage")
      .set((row) => ({
        bytes: lessOrZero("bytes", less),
        writing: lessOrZero("writing", 1),
        changes: row("changes", "+", 1),
      }))
      .where("owner_id", "=", ownerId)
      .execute()
      .catch(onFault);
  }

  const find = (ownerId: string) =>
    tables.selectFrom("panels_usage").selectAll().where("owner_id", "=", ownerId).executeTakeFirst();

  /**
   * Files may also change by hand, and a process may be killed while it writes: sets the number to what is on the disk,
   * unless somebody is writing or has just counted. A change in the meantime wins: then the number stays.
   */
  async function count(ownerId: string): Promise<void> {
    const before = await find(ownerId);
    if (before && (before.counted_at_ms > now() - COUNT_EVERY_MS || isWriting(before))) return;
    const counted = { bytes: await measure(ownerId), writing: 0, counted_at_ms: now() };
    if (!before) {
      await tables
        .insertInto("panels_usage")
        .values({ owner_id: ownerId, ...counted, changes: 0, begun_at_ms: 0 })
        .onConflict((conflict) => conflict.column("owner_id").doNothing())
        .execute();
      return;
    }
    await tables
      .updateTable("panels_usage")
      .set({ ...counted, changes: before.changes + 1 })
      .where("owner_id", "=", ownerId)
      .where("changes", "=", before.changes)
      .execute();
  }

  const isWriting = ({ writing, begun_at_ms }: PanelsTables["panels_usage"]): boolean =>
    writing > 0 && begun_at_ms > now() - WRITING_LIFE_MS;

  return {
    async changing(ownerId, bytes, work) {
      const more = Math.max(0, bytes);
      if (!(await begin(ownerId, more))) {
        await count(ownerId);
        if (!(await begin(ownerId, more))) throw quotaReached(more, maxBytes);
      }
      try {
        const done = await work();
        await end(ownerId, more - bytes);
        return done;
      } catch (error) {
        await end(ownerId, more);
        throw error;
      }
    },
    async read(ownerId) {
      await count(ownerId);
      return (await find(ownerId))?.bytes ?? 0;
    },
  };
}

/** The bytes of all owners together, as last counted, and the owners with the most. */
export type FileTotals = { bytes: number; byBytes: { ownerId: string; bytes: number }[] };

export async function readFileTotals({ shortLived }: Database<PanelsTables>, maxOwners: number): Promise<FileTotals> {
  const [all, byBytes] = await Promise.all([
    shortLived
      .selectFrom("panels_usage")
      .select(({ fn }) => fn.sum<number | null>("bytes").as("bytes"))
      .executeTakeFirstOrThrow(),
    shortLived
      .selectFrom("panels_usage")
      .select(["owner_id as ownerId", "bytes"])
      .orderBy("bytes", "desc")
      .limit(maxOwners)
      .execute(),
  ]);
  // PostgreSQL sums as text.
  return { bytes: Number(all.bytes ?? 0), byBytes };
}

const quotaReached = (bytes: number, maxBytes: number): Problem =>
  new Problem("quota-reached", {
    detail: `All files and screenshots of one owner have at most ${inMegabytes(maxBytes)} together, and this needs ${inMegabytes(bytes)} more. Delete some, or ask the owner of this Backplane to raise QUOTA_FILES.`,
  });

const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1_048_576)} MB`;
