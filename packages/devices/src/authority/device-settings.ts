import type { ChangeDeviceSettings, DeviceSettings } from "@backplane/contract/devices";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Bus } from "@backplane/kit/bus";
import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import type { DevicesTables } from "../tables.ts";

const USUAL: DeviceSettings = { latch: false, kept: [], limits: {} };
/** Devices come and go, and their settings stay: twice as many as can be there at once. */
const MAX_ROWS = 2 * DEVICES_LIMITS.maxDevices;

/** Settings of one workspace in memory, kept as they are in the database. */
export type FollowedSettings = {
  of(device: string): DeviceSettings;
  close(): Promise<void>;
};

/** What workspaces set for their devices. */
export type DeviceSettingsBook = {
  read(workspaceId: string, device: string): Promise<DeviceSettings>;
  /** What is not given stays. */
  change(workspaceId: string, device: string, change: ChangeDeviceSettings): Promise<DeviceSettings>;
  follow(workspaceId: string): Promise<FollowedSettings>;
  /** The workspace was removed. */
  remove(workspaceId: string): Promise<void>;
};

const channelOf = (workspaceId: string): string => `devices:settings:${workspaceId}`;

export function createDeviceSettings({
  database: { durable },
  bus,
  onFault,
}: {
  database: Pick<Database<DevicesTables>, "durable">;
  bus: Pick<Bus, "publish" | "subscribe" | "onStateChange">;
  onFault: (error: unknown) => void;
}): DeviceSettingsBook {
  const rowsOf = (workspaceId: string) =>
    durable.selectFrom("devices_settings").selectAll().where("workspace_id", "=", workspaceId);
  const parse = (text: string | undefined): DeviceSettings =>
    text === undefined ? USUAL : { ...USUAL, ...(JSON.parse(text) as ChangeDeviceSettings) };

  async function read(workspaceId: string, device: string): Promise<DeviceSettings> {
    const row = await rowsOf(workspaceId).where("device", "=", device).executeTakeFirst();
    return parse(row?.settings);
  }

  return {
    read,
    async change(workspaceId, device, change) {
      const rows = await rowsOf(workspaceId).execute();
      const known = rows.find((row) => row.device === device);
      if (!known && rows.length >= MAX_ROWS) {
        throw new Problem("too-many-of-these", { detail: `A workspace keeps the settings of ${MAX_ROWS} devices.` });
      }
      const changed = { ...parse(known?.settings), ...change };
      const settings = JSON.stringify(changed);
      await durable
        .insertInto("devices_settings")
        .values({ workspace_id: workspaceId, device, settings })
        .onConflict((conflict) => conflict.columns(["workspace_id", "device"]).doUpdateSet({ settings }))
        .execute();
      await bus.publish(channelOf(workspaceId), null);
      return changed;
    },
    async follow(workspaceId) {
      let all = new Map<string, DeviceSettings>();
      let turn = 0;
      const load = async (): Promise<void> => {
        turn += 1;
        const mine = turn;
        const rows = await rowsOf(workspaceId).execute();
        if (mine === turn) all = new Map(rows.map(({ device, settings }) => [device, parse(settings)]));
      };
      const loadAgain = () => load().catch(onFault);
      const unsubscribe = await bus.subscribe(channelOf(workspaceId), loadAgain);
      // What was published while the bus was away is not told again.
      const stopListening = bus.onStateChange((state) => void (state === "up" && loadAgain()));
      async function close(): Promise<void> {
        stopListening();
        await unsubscribe();
      }
      try {
        await load();
      } catch (error) {
        await close().catch(onFault);
        throw error;
      }
      return { of: (device) => all.get(device) ?? USUAL, close };
    },
    async remove(workspaceId) {
      await durable.deleteFrom("devices_settings").where("workspace_id", "=", workspaceId).execute();
    },
  };
}
