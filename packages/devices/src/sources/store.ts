import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { type Database, insertWithin } from "@backplane/kit/database";
import type { DevicesTables } from "../tables.ts";

/** A source as a workspace has set it up. */
export type StoredSource = { name: string; kind: string; settings: JsonObject };

export type SourceStore = {
  /** By name. */
  list(workspaceId: string): Promise<StoredSource[]>;
  add(workspaceId: string, source: StoredSource, nowMs: number): Promise<"added" | "too-many" | "name-taken">;
  change(workspaceId: string, source: StoredSource): Promise<void>;
  /** False: there is none of this name. */
  remove(workspaceId: string, name: string): Promise<boolean>;
  removeOf(workspaceId: string): Promise<void>;
  /** Workspaces that have sources. */
  workspaces(limit: number): Promise<string[]>;
};

export function createSourceStore(database: Database<DevicesTables>): SourceStore {
  const { durable } = database;
  const of = (workspaceId: string) => durable.selectFrom("devices_sources").where("workspace_id", "=", workspaceId);
  return {
    async list(workspaceId) {
      const rows = await of(workspaceId).select(["name", "kind", "settings"]).orderBy("name").execute();
      return rows.map(({ name, kind, settings }) => ({ name, kind, settings: JSON.parse(settings) as JsonObject }));
    },
    async add(workspaceId, { name, kind, settings }, nowMs) {
      const row = { workspace_id: workspaceId, name, kind, settings: JSON.stringify(settings), created_at_ms: nowMs };
      const added = await insertWithin(database, { table: "devices_sources", row, most: DEVICES_LIMITS.maxSources });
      return added === "taken" ? "name-taken" : added;
    },
    async change(workspaceId, { name, settings }) {
      await durable
        .updateTable("devices_sources")
        .set({ settings: JSON.stringify(settings) })
        .where("workspace_id", "=", workspaceId)
        .where("name", "=", name)
        .execute();
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
