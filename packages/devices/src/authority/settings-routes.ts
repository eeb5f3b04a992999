import { ChangeDeviceSettings, DeviceSettings } from "@backplane/contract/devices";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { aboutDevices, DEVICES, NOT_STORED, OfDevice } from "../route-options.ts";
import type { Dependencies, Hub } from "../services.ts";
import type { DeviceSettingsBook } from "./device-settings.ts";
import type { OpenForControl } from "./open-for-control.ts";

const MAX_BODY_BYTES = 65_536;

type SettingsRoutes = Pick<Dependencies, "note"> & { open: OpenForControl; deviceSettings: DeviceSettingsBook };

/** …/devices/{device}/settings */
export function serveDeviceSettings(app: App, { open, note, deviceSettings }: SettingsRoutes): void {
  app.get(
    `${DEVICES}/:device/settings`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices("What the workspace sets for a device", undefined, ["device-unknown"]),
        ...{ params: OfDevice, response: { 200: DeviceSettings } },
      },
    },
    async (request) => {
      const { workspace, hub } = await open(request, "read");
      await nameOf(hub, request.params.device);
      return deviceSettings.read(workspace.id, request.params.device);
    },
  );

  app.put(
    `${DEVICES}/:device/settings`,
    {
      ...NOT_STORED,
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        ...aboutDevices(
          "Set what a device may do here",
          "Whether it runs on without somebody who holds the control, what a stop leaves on, and limits that are narrower than its own. What is not given stays.",
          ["device-unknown", "invalid-input"],
        ),
        ...{ access: "devices:control" as const, params: OfDevice },
        ...{ body: ChangeDeviceSettings, response: { 200: DeviceSettings } },
      },
    },
    async (request) => {
      const { workspace, caller, hub } = await open(request, "control");
      const { device } = request.params;
      const name = await nameOf(hub, device);
      checkLimits(request.body.limits ?? {});
      const changed = await deviceSettings.change(workspace.id, device, request.body);
      const what = Object.keys(request.body).join(", ");
      note(workspace.id, "info", "devices", `${caller.userName} changed the settings of ${name}: ${what}.`);
      return changed;
    },
  );
}

async function nameOf(hub: Pick<Hub, "list">, device: string): Promise<string> {
  const found = (await hub.list()).devices.find(({ id }) => id === device);
  if (!found) throw new Problem("device-unknown", { detail: `There is no device ${device} here.` });
  return found.name;
}

function checkLimits(limits: DeviceSettings["limits"]): void {
  for (const [capability, fields] of Object.entries(limits)) {
    for (const [field, [min, max]] of Object.entries(fields)) {
      if (min <= max) continue;
      const pointer = `/limits/${capability}/${field}`;
      throw new Problem("invalid-input", { errors: [{ pointer, message: "has a lowest value above its highest" }] });
    }
  }
}
