import type { Capability, Device, DeviceState, SimulatorKind } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Tone } from "../../parts/state.tsx";

/** One thing that a panel can show: a capability of a device. */
export type Fitting = { device: Device; capability: Capability };

/** In a panel's list of kinds: it shows every kind. */
const ANY = "*";

const ORDER: Record<DeviceState, number> = { ready: 0, init: 0, sleeping: 1, lost: 2, disconnected: 3 };

const isShown = (kind: string, shows: readonly string[]): boolean => shows.includes(ANY) || shows.includes(kind);

/** What a panel that shows these kinds can show: what is connected first, the newest first. */
export function fittingOf(devices: readonly Device[], shows: readonly string[]): Fitting[] {
  return devices
    .toSorted((a, b) => ORDER[a.state] - ORDER[b.state] || b.lastSeenAt.localeCompare(a.lastSeenAt))
    .flatMap((device) =>
      device.capabilities.filter(({ kind }) => isShown(kind, shows)).map((capability) => ({ device, capability })),
    );
}

/** What the state of a panel has chosen; undefined: nothing, or it is not there. */
export function chosenOf(
  devices: readonly Device[],
  shows: readonly string[],
  { device, capability }: JsonObject,
): Fitting | undefined {
  const ofDevice = fittingOf(
    devices.filter(({ id }) => id === device),
    shows,
  );
  return ofDevice.find((each) => each.capability.id === capability) ?? ofDevice[0];
}

/** Devices that can be simulated for a panel. */
export const simulatorsFor = (kinds: readonly SimulatorKind[], shows: readonly string[]): SimulatorKind[] =>
  kinds.filter((each) => each.shows.some((kind) => isShown(kind, shows)));

/** Panels that can be opened for a device: they show something of it, and their state says which one. */
export const panelsFor = <Panel extends { shows: readonly string[]; stateSchema: JsonObject }>(
  { capabilities }: Pick<Device, "capabilities">,
  panels: readonly Panel[],
): Panel[] =>
  panels.filter(
    ({ shows, stateSchema }) =>
      Object.hasOwn((stateSchema.properties ?? {}) as JsonObject, "device") &&
      capabilities.some(({ kind }) => isShown(kind, shows)),
  );

/** The name of what is chosen; with its capability when the device has several that fit. */
export function nameOf({ device, capability }: Fitting, all: readonly Fitting[]): string {
  const isOnly = all.filter((each) => each.device.id === device.id).length < 2;
  return isOnly ? device.name : `${device.name}, ${capability.name ?? capability.id}`;
}

export const toneOf = (state: DeviceState): Tone =>
  state === "ready" ? "ok" : state === "lost" ? "danger" : state === "disconnected" ? "off" : "warn";

/** Whether something of it moves or is powered: it needs somebody who is in control. */
export const needsControl = ({ commands }: Capability): boolean =>
  Object.values(commands).some(({ effect }) => effect === "moves" || effect === "powers");
