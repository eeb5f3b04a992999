import assert from "node:assert/strict";
import type { DeviceKeys, MadeDeviceKey } from "@backplane/contract/devices";
import { connectToldDevice, type ToldDevice } from "@backplane/simulators";
import { OWNER } from "./platform.ts";
import type { Workspaces } from "./workspaces.ts";

/** A part of a device that says what a test tells it, whenever it does. */
export const nodeOf = (kind: string, units: Record<string, string>) => ({
  ...{ name: kind, kind, rateHz: 0 },
  fields: Object.fromEntries(Object.entries(units).map(([field, unit]) => [field, { unit }])),
});

type Nodes = Record<string, ReturnType<typeof nodeOf>>;

/** Connects a device to a workspace of the owner, with a key of its own. */
export async function connectTold(
  { owner, pages }: Workspaces,
  repo: string,
  id: string,
  nodes: Nodes,
): Promise<ToldDevice> {
  const path = `/api/workspaces/editor/${OWNER.name}/${repo}/current/devices/keys`;
  const made = await owner.call(pages, path, { method: "POST", body: { name: id, device: id } });
  const { key } = (await made.json()) as MadeDeviceKey;
  const { address } = (await (await owner.call(pages, path)).json()) as DeviceKeys;
  assert.ok(address);
  return connectToldDevice({ url: address, key, id, nodes });
}
