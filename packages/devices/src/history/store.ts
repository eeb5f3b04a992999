import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "@backplane/kit/database";
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import type { DevicesTables } from "../tables.ts";
import { type Bucket, type BucketSize, type NamedSeries, nameOf, type Series, type TimedBucket } from "./buckets.ts";

const ROWS_PER_STATEMENT = 500;
/** Few sizes of statements, so that their texts can be kept. */
const ROWS_AT_ONCE = [100, 10, 1] as const;
/** So much is removed in one turn of the event loop, which SQLite keeps for itself meanwhile. */
const ROWS_REMOVED_AT_ONCE = 2_000;
/** Ids of series that are remembered; they never change. */
const MAX_KNOWN = 100_000;

type StoredBucket = Bucket & { atS: number };

export type HistoryStore = {
  /** In one transaction. A bucket that exists, whoever wrote it, is merged with. */
  write(buckets: readonly TimedBucket[]): Promise<void>;
  /** Of one series, oldest first, from `fromS` on and before `toS`. */
  read(series: Series, sizeS: BucketSize, fromS: number, toS: number): Promise<StoredBucket[]>;
  /** Removes buckets that begin before this. */
  forget(sizeS: BucketSize, beforeS: number): Promise<void>;
  removeOf(workspaceId: string): Promise<void>;
  /** Workspaces that have ever had a device. */
  workspaces(limit: number): Promise<string[]>;
};

const rowOf = ({ workspaceId, device, capability, field }: Series) => ({
  ...{ workspace_id: workspaceId, device, capability, field },
});

export function createHistoryStore(database: Database<DevicesTables>): HistoryStore {
  /** By name. */
  const known = new Map<string, number>();
  const [least, greatest] = database.engine === "postgres" ? ["least", "greatest"] : ["min", "max"];

  async function idsOf(buckets: readonly TimedBucket[]): Promise<void> {
    const missing = new Map<string, NamedSeries>();
    for (const { series } of buckets) if (!known.has(series.name)) missing.set(series.name, series);
    if (known.size + missing.size > MAX_KNOWN) known.clear();
    for (const some of pieces([...missing.values()])) {
      await database.shortLived
        .insertInto("devices_channels")
        .values(some.map(rowOf) as never)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const names = some.map(
        ({ workspaceId, device, capability, field }) => sql`(${workspaceId}, ${device}, ${capability}, ${field})`,
      );
      const rows = await database.shortLived
        .selectFrom("devices_channels")
        .selectAll()
        .where(sql<boolean>`(workspace_id, device, capability, field) in (values ${sql.join(names)})`)
        .execute();
      if (rows.length < some.length) throw new Error("A series was removed while it was written.");
      for (const { id, workspace_id: workspaceId, ...of } of rows) known.set(nameOf({ workspaceId, ...of }), id);
      await nextTurn();
    }
  }

  async function find(series: Series): Promise<number | undefined> {
    const row = await database.shortLived
      .selectFrom("devices_channels")
      .select("id")
      .where("workspace_id", "=", series.workspaceId)
      .where("device", "=", series.device)
      .where("capability", "=", series.capability)
      .where("field", "=", series.field)
      .executeTakeFirst();
    return row?.id;
  }

  /** Removes the buckets of this condition, and lets others have their turn in between. */
  async function removeWhere(condition: RawBuilder<boolean>): Promise<void> {
    for (;;) {
      const { numDeletedRows } = await database.shortLived
        .deleteFrom("devices_buckets")
        .where(
          sql<boolean>`(channel, size_s, at_s) in (select channel, size_s, at_s from devices_buckets where ${condition} limit ${sql.lit(ROWS_REMOVED_AT_ONCE)})`,
        )
        .executeTakeFirstOrThrow();
      if (numDeletedRows < ROWS_REMOVED_AT_ONCE) return;
      await nextTurn();
    }
  }

  /** By number of rows: to build the text costs more than to run it. */
  const upserts = new Map<number, CompiledQuery>();

  function upsertOf(rows: number): CompiledQuery {
    const known = upserts.get(rows);
    if (known) return known;
    const row = { channel: 0, size_s: 0, at_s: 0, min: 0, max: 0, sum: 0, n: 0, last: 0 };
    const compiled = database.shortLived
      .insertInto("devices_buckets")
      .values(Array.from({ length: rows }, () => row))
      .onConflict((conflict) =>
        conflict.columns(["channel", "size_s", "at_s"]).doUpdateSet({
          min: sql<number>`${sql.raw(least as string)}(devices_buckets.min, excluded.min)`,
          max: sql<number>`${sql.raw(greatest as string)}(devices_buckets.max, excluded.max)`,
          sum: sql<number>`devices_buckets.sum + excluded.sum`,
          n: sql<number>`devices_buckets.n + excluded.n`,
          last: sql<number>`excluded.last`,
        }),
      )
      .compile();
    upserts.set(rows, compiled);
    return compiled;
  }

  async function upsert(transaction: Kysely<DevicesTables>, some: readonly TimedBucket[]): Promise<void> {
    const parameters: unknown[] = [];
    for (const { series, sizeS, atS, min, max, sum, n, last } of some)
      parameters.push(known.get(series.name), sizeS, atS, min, max, sum, n, last);
    await transaction.executeQuery({ ...upsertOf(some.length), parameters });
  }

  return {
    async write(buckets) {
      if (buckets.length === 0) return;
      await idsOf(buckets);
      try {
        await database.shortLived.transaction().execute(async (transaction) => {
          let done = 0;
          for (const rows of ROWS_AT_ONCE) {
            for (; buckets.length - done >= rows; done += rows)
              await upsert(transaction, buckets.slice(done, done + rows));
          }
        });
      } catch (error) {
        // The series may have been removed with its workspace, and come again with another id.
        known.clear();
        throw error;
      }
    },
    async read(series, sizeS, fromS, toS) {
      const channel = known.get(nameOf(series)) ?? (await find(series));
      if (channel === undefined) return [];
      const rows = await database.shortLived
        .selectFrom("devices_buckets")
        .select(["at_s", "min", "max", "sum", "n", "last"])
        .where("channel", "=", channel)
        .where("size_s", "=", sizeS)
        .where("at_s", ">=", fromS)
        .where("at_s", "<", toS)
        .orderBy("at_s")
        .execute();
      return rows.map(({ at_s: atS, ...bucket }) => ({ atS, ...bucket }));
    },
    forget: (sizeS, beforeS) => removeWhere(sql`size_s = ${sizeS} and at_s < ${beforeS}`),
    async removeOf(workspaceId) {
      await removeWhere(sql`channel in (select id from devices_channels where workspace_id = ${workspaceId})`);
      await database.durable.deleteFrom("devices_channels").where("workspace_id", "=", workspaceId).execute();
      known.clear();
    },
    async workspaces(limit) {
      const rows = await database.shortLived
        .selectFrom("devices_channels")
        .select("workspace_id")
        .distinct()
        .limit(limit)
        .execute();
      return rows.map((row) => row.workspace_id);
    },
  };
}

function* pieces<One>(all: readonly One[]): Generator<readonly One[]> {
  for (let from = 0; from < all.length; from += ROWS_PER_STATEMENT) yield all.slice(from, from + ROWS_PER_STATEMENT);
}
