import { randomUUID } from "node:crypto";
import { DEVICES_LIMITS, type NewDeviceKey } from "@backplane/contract/devices";
import { type Database, insertWithin, isUniqueViolation } from "@backplane/kit/database";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import type { Selectable } from "kysely";
import type { DevicesTables } from "../tables.ts";

/** `isViewer`: the ticket of a page, which only listens; it is in no table. */
export type KeyRow = Omit<Selectable<DevicesTables["devices_keys"]>, "key_hash"> & { isViewer?: true };

/** The keys of devices, by workspace. Only the hash of a key is stored. */
export type Keys = {
  /** Newest first. */
  list(workspaceId: string): Promise<KeyRow[]>;
  /** The key itself exists only in what is returned. */
  make(workspaceId: string, wanted: NewDeviceKey, nowMs: number): Promise<MadeKey | "too-many" | "device-taken">;
  find(key: string): Promise<KeyRow | undefined>;
  /** The key is from now on the one of this device. False: another key is, or this one is of another device. */
  bind(id: string, device: string): Promise<boolean>;
  seen(id: string, nowMs: number): Promise<void>;
  /** False: the workspace has no such key. */
  remove(workspaceId: string, id: string): Promise<boolean>;
  removeOf(workspaceId: string): Promise<void>;
  /** Which of these keys there are. */
  there(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether it was not revoked. */
  has(id: string): Promise<boolean>;
  /** Whether there is any, in whichever workspace. */
  exist(): Promise<boolean>;
};
export type MadeKey = { key: string; row: KeyRow };

const SHOWN = ["id", "workspace_id", "name", "device", "gateway", "created_at_ms", "last_seen_at_ms"] as const;

const KEY = /^bpd_[\w-]{43}$/;

export function createKeys(database: Database<DevicesTables>): Keys {
  const { durable, shortLived } = database;
  return {
    list: (workspaceId) =>
      durable
        .selectFrom("devices_keys")
        .select(SHOWN)
        .where("workspace_id", "=", workspaceId)
        .orderBy("created_at_ms", "desc")
        .orderBy("id")
        .execute(),

    async make(workspaceId, { name, device = null, gateway = false }, nowMs) {
      const key = newSecret("bpd_");
      const row: KeyRow = {
        id: randomUUID(),
        workspace_id: workspaceId,
        name,
        device: gateway ? null : device,
        gateway: gateway ? 1 : 0,
        created_at_ms: nowMs,
        last_seen_at_ms: null,
      };
      const added = await insertWithin(database, {
        ...{ table: "devices_keys", most: DEVICES_LIMITS.maxKeys },
        row: { ...row, key_hash: hashSecret(key) },
      });
      if (added === "added") return { key, row };
      return added === "taken" ? "device-taken" : added;
    },

    async find(key) {
      if (!KEY.test(key)) return undefined;
      return shortLived
        .selectFrom("devices_keys")
        .select(SHOWN)
        .where("key_hash", "=", hashSecret(key))
        .executeTakeFirst();
    },

    async bind(id, device) {
      try {
        const { numUpdatedRows } = await durable
          .updateTable("devices_keys")
          .set({ device })
          .where("id", "=", id)
          .where((where) => where.or([where("device", "is", null), where("device", "=", device)]))
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },

    async seen(id, nowMs) {
      await shortLived.updateTable("devices_keys").set({ last_seen_at_ms: nowMs }).where("id", "=", id).execute();
    },

    async remove(workspaceId, id) {
      const { numDeletedRows } = await durable
        .deleteFrom("devices_keys")
        .where("workspace_id", "=", workspaceId)
        .where("id", "=", id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async removeOf(workspaceId) {
      await durable.deleteFrom("devices_keys").where("workspace_id", "=", workspaceId).execute();
    },

    async has(id) {
      return (
        (await shortLived.selectFrom("devices_keys").select("id").where("id", "=", id).executeTakeFirst()) !== undefined
      );
    },

    async there(ids) {
      if (ids.length === 0) return new Set();
      const rows = await shortLived.selectFrom("devices_keys").select("id").where("id", "in", ids).execute();
      return new Set(rows.map(({ id }) => id));
    },

    async exist() {
      const row = await shortLived.selectFrom("devices_keys").select("id").limit(1).executeTakeFirst();
      return row !== undefined;
    },
  };
}
