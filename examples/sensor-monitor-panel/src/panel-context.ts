import type { Ack } from "@backplane/contract/devices";
import type { Panel } from "@backplane/sdk/panel";
import type { Control, Devices, DevicesStatus } from "../../../packages/web/src/workspace/devices/devices.ts";
import type { DeviceContext } from "../../../packages/web/src/workspace/panel.ts";

/** People take control, arm and stop outside the frame: a panel from a package does not do it for them. */
const denied = async (): Promise<Ack> => ({
  ...{ ok: false, code: "denied", tookMs: 0 },
  detail: "This is done outside the panel.",
});
const nothing = (): void => {};
const never = () => nothing;

/** What Backplane's own panels of devices get, from what the library gives to packages. */
export function contextOf(panel: Panel, catalogPanel: NonNullable<DeviceContext["catalogPanel"]>): DeviceContext {
  const { tabId, state, onState, setState, save, clock } = panel;
  return {
    ...{ tabId, catalogPanel, state, onState, setState, save, clock },
    ...{ workspace: undefined, open: undefined },
    isShown: () => !document.hidden,
    setTitle: (title) => void panel.setTitle(title ?? catalogPanel.name),
    devices: devicesOf(panel.devices),
  };
}

function devicesOf(devices: Panel["devices"]): Devices {
  const { list, onList, subscribe, onStatus, command } = devices;
  const status = statusOf(devices);
  const none = { device: undefined, ended: undefined };
  const serial = { isOffered: false, connect: async () => undefined, disconnect: nothing };
  return {
    ...{ list, onList, subscribe, command, status, onStatus },
    ...{ stop: denied, clear: denied, replay: denied, goLive: denied },
    history: async (target, query) => (await devices.history(target, query)) ?? undefined,
    onLines: never,
    serial: { ...serial, state: () => none, onState: never },
    control: (id) => controlOf(id, devices, status),
  };
}

/** The same object until something changes. */
function statusOf(devices: Panel["devices"]): () => DevicesStatus {
  let from = devices.status();
  const read = (): DevicesStatus => ({
    ...from,
    ...{ detail: from.detail, stopAnswer: null, recording: null, replay: null },
  });
  let status = read();
  return () => {
    if (from !== devices.status()) {
      from = devices.status();
      status = read();
    }
    return status;
  };
}

function controlOf(id: string, devices: Panel["devices"], status: () => DevicesStatus): Control {
  const telling = { renew: nothing, leave: nothing, press: nothing, release: nothing };
  return {
    ...{ ...telling, take: denied, arm: denied, disarm: denied, stop: denied, clear: denied },
    state() {
      const device = devices.list().find((each) => each.id === id);
      return { ...status(), device, holder: device?.lease?.holder, isMine: devices.control()?.isMine === true };
    },
    onState(listener) {
      const stops = [devices.onList(listener), devices.onStatus(listener), devices.onControl(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
