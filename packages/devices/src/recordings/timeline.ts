import type { Device } from "@backplane/contract/devices";
import type { DeviceChange } from "./channels.ts";
import { topicOf } from "./channels.ts";
import type { ChannelName } from "./source.ts";

/** The devices of a recording, as they were at a time that goes on or jumps. */
export type Timeline = {
  devices(): Device[];
  device(id: string): Device | undefined;
  /** What has changed until then. */
  advance(untilMs: number): DeviceChange[];
  jump(atMs: number): void;
  /** Every channel that a device had at any time. */
  channels(): ChannelName[];
  /** A channel of a device that is not there now is described as it was when it was. */
  fieldsOf(channel: ChannelName): Device["capabilities"][number]["fields"];
};

export function createTimeline(changes: readonly DeviceChange[]): Timeline {
  const devices = new Map<string, Device>();
  let next = 0;

  function advance(untilMs: number): DeviceChange[] {
    const from = next;
    for (let change = changes[next]; change && change.tMs <= untilMs; change = changes[next]) {
      next += 1;
      if (change.device) devices.set(change.id, change.device);
      else devices.delete(change.id);
    }
    return changes.slice(from, next);
  }

  return {
    devices: () => [...devices.values()],
    device: (id) => devices.get(id),
    advance,
    jump(atMs) {
      devices.clear();
      next = 0;
      advance(atMs);
    },
    channels() {
      const all = changes.flatMap(({ id, device }) =>
        (device?.capabilities ?? []).map((capability) => ({ device: id, capability: capability.id })),
      );
      return [...new Map(all.map((one) => [topicOf(one), one])).values()];
    },
    fieldsOf({ device, capability }) {
      const then = changes.findLast((change) => change.id === device && change.device !== null)?.device;
      const described = devices.get(device) ?? then;
      return described?.capabilities.find(({ id }) => id === capability)?.fields ?? {};
    },
  };
}
