import { type Static, Type } from "typebox";
import { JSON_OBJECT, type JsonObject } from "../panels/common.ts";
import { Lease } from "./control.ts";
import { DEVICES_LIMITS } from "./limits.ts";

/** Of devices, capabilities, fields and commands: as topics and addresses have them. */
export const DEVICE_ID = Type.String({ pattern: `^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,${DEVICES_LIMITS.maxIdLength - 1}}$` });

/**
 * What a command can harm. `none`: it reads, or identifies. `changes`: a lamp. `powers`: a rail. `moves`: a motor. The
 * last two need a lease and arming; what moves also needs somebody who holds the control.
 */
export const EFFECTS = ["none", "changes", "powers", "moves"] as const;
export const Effect = Type.Enum(EFFECTS);
export type Effect = Static<typeof Effect>;

export const DATATYPES = ["number", "integer", "boolean", "text", "list", "object"] as const;

/** A value that a capability measures. Its unit is also the end of its name, such as `velocity_rad_s`. */
export const Field = Type.Object({
  datatype: Type.Enum(DATATYPES),
  unit: Type.Optional(Type.String()),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  /** The texts that a field of text may have. */
  labels: Type.Optional(Type.Array(Type.String())),
  /** The device did not say how to read it: it is shown as it came. */
  isRaw: Type.Optional(Type.Boolean()),
});
export type Field = Static<typeof Field>;

/** `params`: a JSON Schema of an object. */
export const Command = Type.Object({ params: JSON_OBJECT, effect: Effect });
export type Command = { params: JsonObject; effect: Effect };

/** What a device can do, as much as one panel shows. `kind`: such as motor, temperature, log. */
export const Capability = Type.Object({
  id: DEVICE_ID,
  kind: Type.String(),
  name: Type.Optional(Type.String()),
  fields: Type.Record(Type.String(), Field),
  commands: Type.Record(Type.String(), Command),
});
export type Capability = Omit<Static<typeof Capability>, "commands"> & { commands: Record<string, Command> };

/** `lost`: its connection broke. `disconnected`: it said goodbye. */
export const DEVICE_STATES = ["init", "ready", "sleeping", "disconnected", "lost"] as const;
export const DeviceState = Type.Enum(DEVICE_STATES);
export type DeviceState = Static<typeof DeviceState>;

export const Alert = Type.Object({ id: Type.String(), text: Type.String(), at: Type.String({ format: "date-time" }) });
export type Alert = Static<typeof Alert>;

export const Device = Type.Object({
  id: DEVICE_ID,
  name: Type.String(),
  maker: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
  firmware: Type.Optional(Type.String()),
  /** The convention by which it is read: homie, home-assistant, tasmota, wled, decawave; or kind and name of the source that Backplane connects to, such as odrive:arm. */
  source: Type.String(),
  state: DeviceState,
  lastSeenAt: Type.String({ format: "date-time" }),
  alerts: Type.Array(Alert),
  lease: Type.Optional(Lease),
  isArmed: Type.Boolean(),
  isMoving: Type.Boolean(),
  capabilities: Type.Array(Capability),
});
export type Device = Omit<Static<typeof Device>, "capabilities"> & { capabilities: Capability[] };

/** Who stopped the devices of a workspace, and when. */
export const Stopped = Type.Object({ by: Type.String(), at: Type.String({ format: "date-time" }) });
export type Stopped = Static<typeof Stopped>;

/** What was measured is kept as the lowest, highest, mean and last value of every so many seconds, for so long. */
export const KeptHistory = Type.Object({ everyS: Type.Integer(), forS: Type.Number() });
export type KeptHistory = Static<typeof KeptHistory>;

/** GET …/current/devices */
export const Devices = Type.Object({
  devices: Type.Array(Device),
  stopped: Type.Union([Stopped, Type.Null()]),
  history: Type.Array(KeptHistory),
});
export type Devices = { devices: Device[]; stopped: Stopped | null; history: KeptHistory[] };

/** `device` and `capability` in addresses. */
export const DeviceParams = Type.Object({ device: DEVICE_ID });
export const CapabilityParams = Type.Object({ device: DEVICE_ID, capability: DEVICE_ID });
