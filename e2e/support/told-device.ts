import assert from "node:assert/strict";
import type { DeviceKeys, MadeDeviceKey } from "@backplane/contract/devices";
import { connectToldDevice, type ToldDevice } from "@backplane/simulators";
import { OWNER } from "./platform.ts";
import type { Workspaces } from "./workspaces.ts";

type Nodes = Parameters<typeof connectToldDevice>[0]["nodes"];

/** A part of a device that says only what it is told. */
export const toldNode = (kind: string, units: Record<string, string>) => ({
  ...{ name: kind, kind, rateHz: 0 },
  fields: Object.fromEntries(Object.entries(units).map(([field, unit]) => [field, { unit }])),
});

/** A device with these parts, connected to a workspace with a key of its own. */
export async function connectTold(workspaces: Workspaces, repo: string, id: string, nodes: Nodes): Promise<ToldDevice> {
  const { owner, pages } = workspaces;
  const path = `/api/workspaces/editor/${OWNER.name}/${repo}/current/devices/keys`;
  const made = await owner.call(pages, path, { method: "POST", body: { name: id, device: id } });
  const { key } = (await made.json()) as MadeDeviceKey;
  const { address } = (await (await owner.call(pages, path)).json()) as DeviceKeys;
  assert.ok(address);
  return connectToldDevice({ url: address, key, id, nodes });
}
