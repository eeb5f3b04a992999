import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { type Database, isUniqueViolation } from "@backplane/kit/database";
import { sql } from "kysely";
import type { DevicesTables } from "../tables.ts";

/** A source as a workspace has set it up. */
export type StoredSource = { name: string; kind: string; settings: JsonObject };

export type SourceStore = {
  /** By name. */
  list(workspaceId: string): Promise<StoredSource[]>;
  add(workspaceId: string, source: StoredSource, nowMs: number): Promise<"added" | "too-many" | "name-taken">;
  /** False: there is none of this name. */
  remove(workspaceId: string, name: string): Promise<boolean>;
  removeOf(workspaceId: string): Promise<void>;
  /** Workspaces that have sources. */
  workspaces(limit: number): Promise<string[]>;
};

export function createSourceStore({ engine, durable }: Database<DevicesTables>): SourceStore {
  const of = (workspaceId: string) => durable.selectFrom("devices_sources").where("workspace_id", "=", workspaceId);
  return {
    async list(workspaceId) {
      const rows = await of(workspaceId).select(["name", "kind", "settings"]).orderBy("name").execute();
      return rows.map(({ name, kind, settings }) => ({ name, kind, settings: JSON.parse(settings) as JsonObject }));
    },
    async add(workspaceId, { name, kind, settings }, nowMs) {
      const row = { workspace_id: workspaceId, name, kind, settings: JSON.stringify(settings), created_at_ms: nowMs };
      try {
        return await durable.transaction().execute(async (transaction) => {
          // On SQLite a transaction is alone; on PostgreSQL the count must not change before the insert.
          if (engine === "postgres")
            await sql`select pg_advisory_xact_lock(hashtext(${`devices-sources ${workspaceId}`}))`.execute(transaction);
          const { count } = await transaction
            .selectFrom("devices_sources")
            .select(({ fn }) => fn.countAll<number>().as("count"))
            .where("workspace_id", "=", workspaceId)
            .executeTakeFirstOrThrow();
          if (count >= DEVICES_LIMITS.maxSources) return "too-many";
          await transaction.insertInto("devices_sources").values(row).execute();
          return "added";
        });
      } catch (error) {
        if (isUniqueViolation(error)) return "name-taken";
        throw error;
      }
    },
    async remove(workspaceId, name) {
      const { numDeletedRows } = await durable
        .deleteFrom("devices_sources")
        .where("workspace_id", "=", workspaceId)
        .where("name", "=", name)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async removeOf(workspaceId) {
      await durable.deleteFrom("devices_sources").where("workspace_id", "=", workspaceId).execute();
    },
    async workspaces(limit) {
      const rows = await durable.selectFrom("devices_sources").select("workspace_id").distinct().limit(limit).execute();
      return rows.map(({ workspace_id }) => workspace_id);
    },
  };
}
