import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { type Database, insertWithin } from "@backplane/kit/database";
import type { DevicesTables } from "../tables.ts";

/** A stream as a workspace has set it up. `secrets` never leave the server. */
export type StoredStream = { name: string; kind: string; settings: JsonObject; secrets: Record<string, string> };

export type StreamStore = {
  /** By name. */
  list(workspaceId: string): Promise<StoredStream[]>;
  find(workspaceId: string, name: string): Promise<StoredStream | undefined>;
  add(workspaceId: string, stream: StoredStream, nowMs: number): Promise<"added" | "too-many" | "name-taken">;
  /** False: there is none of this name any more. */
  change(workspaceId: string, stream: StoredStream): Promise<boolean>;
  remove(workspaceId: string, name: string): Promise<boolean>;
  removeOf(workspaceId: string): Promise<void>;
};

export function createStreamStore(database: Database<DevicesTables>): StreamStore {
  const { durable } = database;
  const of = (workspaceId: string) =>
    durable
      .selectFrom("devices_streams")
      .select(["name", "kind", "settings", "secrets"])
      .where("workspace_id", "=", workspaceId);
  return {
    list: async (workspaceId) => (await of(workspaceId).orderBy("name").execute()).map(toStream),
    async find(workspaceId, name) {
      const row = await of(workspaceId).where("name", "=", name).executeTakeFirst();
      return row && toStream(row);
    },
    async add(workspaceId, { name, kind, settings, secrets }, nowMs) {
      const row = {
        ...{ workspace_id: workspaceId, name, kind, settings: JSON.stringify(settings) },
        ...{ secrets: JSON.stringify(secrets), created_at_ms: nowMs },
      };
      const added = await insertWithin(database, { table: "devices_streams", row, most: DEVICES_LIMITS.maxStreams });
      return added === "taken" ? "name-taken" : added;
    },
    async change(workspaceId, { name, settings, secrets }) {
      const { numUpdatedRows } = await durable
        .updateTable("devices_streams")
        .set({ settings: JSON.stringify(settings), secrets: JSON.stringify(secrets) })
        .where("workspace_id", "=", workspaceId)
        .where("name", "=", name)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async remove(workspaceId, name) {
      const { numDeletedRows } = await durable
        .deleteFrom("devices_streams")
        .where("workspace_id", "=", workspaceId)
        .where("name", "=", name)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async removeOf(workspaceId) {
      await durable.deleteFrom("devices_streams").where("workspace_id", "=", workspaceId).execute();
    },
  };
}

const toStream = ({ name, kind, settings, secrets }: Omit<StoredStream, "settings" | "secrets"> & Texts) => ({
  ...{ name, kind, settings: JSON.parse(settings) as JsonObject },
  secrets: JSON.parse(secrets) as Record<string, string>,
});
type Texts = { settings: string; secrets: string };
