import type { Effect } from "@backplane/contract/devices";
import type { DeviceContent } from "../device-panel/device-panel.tsx";
import { useClockMode, useControl } from "../device-panel/use-devices.ts";
import type { ControlState } from "../devices/devices.ts";

type Known = Pick<ControlState, "stopped" | "mayControl" | "isMine"> & {
  device: Pick<NonNullable<ControlState["device"]>, "isArmed" | "state"> | undefined;
};

/** Why a command with this effect cannot be sent now, in a few words; undefined: it can. */
export function whyNot(
  { stopped, mayControl, isMine, device }: Known,
  mode: "live" | "replay",
  effect: Effect,
): string | undefined {
  if (mode === "replay") return "replay: commands are off";
  const isHarmless = effect === "none" || effect === "changes";
  if (stopped && !isHarmless) return "stopped";
  if (!mayControl) return "you can only look";
  if (device?.state === "lost") return "the device is lost";
  if (device?.state === "disconnected") return "it is not connected";
  if (isHarmless) return undefined;
  if (!isMine) return "take control first";
  return device?.isArmed ? undefined : "arm first";
}

/** The control of the panel's device, and why it cannot be used now. */
export function usePermission({ context, device }: Pick<DeviceContent, "context" | "device">, effect: Effect) {
  const { control, state } = useControl(context.devices, device.id);
  const mode = useClockMode(context);
  return { control, why: whyNot({ ...state, device }, mode, effect) };
}
