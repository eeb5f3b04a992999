import { type Static, Type } from "typebox";
import { PLAIN_TEXT_PATTERN } from "../accounts.ts";
import { DEVICE_ID } from "./device.ts";
import { DEVICES_LIMITS } from "./limits.ts";

/** POST …/devices/keys. `device`: the only device that it may be; `gateway`: it speaks for several. */
export const NewDeviceKey = Type.Object({
  name: Type.String({ minLength: 1, maxLength: DEVICES_LIMITS.maxNameLength, pattern: PLAIN_TEXT_PATTERN }),
  device: Type.Optional(DEVICE_ID),
  gateway: Type.Optional(Type.Boolean()),
});
export type NewDeviceKey = Static<typeof NewDeviceKey>;

/** `key` is shown once. It is the MQTT password; the user name is free. */
export const MadeDeviceKey = Type.Object({ id: Type.String(), key: Type.String() });
export type MadeDeviceKey = Static<typeof MadeDeviceKey>;

export const DeviceKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  device: Type.Union([Type.String(), Type.Null()]),
  gateway: Type.Boolean(),
  createdAt: Type.String({ format: "date-time" }),
  lastSeenAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
  isConnected: Type.Boolean(),
});
export type DeviceKey = Static<typeof DeviceKey>;

export const DeviceKeys = Type.Object({
  keys: Type.Array(DeviceKey),
  /** Where devices connect to; null: there is no broker, and `reason` says why. */
  address: Type.Union([Type.String(), Type.Null()]),
  reason: Type.Optional(Type.String()),
});
export type DeviceKeys = Static<typeof DeviceKeys>;
