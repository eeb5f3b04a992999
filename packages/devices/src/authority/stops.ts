import type { Database } from "@backplane/kit/database";
import type { DevicesTables } from "../tables.ts";

export type WrittenStop = { by: string; atMs: number };

/** Which workspaces are stopped, for instances that start later. */
export type Stops = {
  read(workspaceId: string): Promise<WrittenStop | undefined>;
  write(workspaceId: string, stop: WrittenStop): Promise<void>;
  /** Only the stop of this time or an earlier one: a stop that came since stays. */
  clear(workspaceId: string, atMs: number): Promise<void>;
  /** The workspace was removed. */
  remove(workspaceId: string): Promise<void>;
};

export function createStops({ durable }: Pick<Database<DevicesTables>, "durable">): Stops {
  const removing = (workspaceId: string) => durable.deleteFrom("devices_stops").where("workspace_id", "=", workspaceId);
  return {
    async read(workspaceId) {
      const row = await durable
        .selectFrom("devices_stops")
        .select(["stopped_by as by", "at_ms as atMs"])
        .where("workspace_id", "=", workspaceId)
        .executeTakeFirst();
      return row;
    },
    async write(workspaceId, { by, atMs }) {
      await durable
        .insertInto("devices_stops")
        .values({ workspace_id: workspaceId, stopped_by: by, at_ms: atMs })
        .onConflict((conflict) =>
          conflict
            .column("workspace_id")
            .doUpdateSet({ stopped_by: by, at_ms: atMs })
            .where("devices_stops.at_ms", "<", atMs),
        )
        .execute();
    },
    async clear(workspaceId, atMs) {
      await removing(workspaceId).where("at_ms", "<=", atMs).execute();
    },
    async remove(workspaceId) {
      await removing(workspaceId).execute();
    },
  };
}
