import { type Static, Type } from "typebox";
import { JSON_OBJECT, type JsonObject } from "../panels/common.ts";
import { DEVICES_LIMITS } from "./limits.ts";

/** Why a command was not carried out. */
export const ACK_CODES = [
  "no-answer",
  "not-held",
  "held",
  "not-armed",
  "stopped",
  "latched",
  "out-of-limits",
  "unknown-field",
  "not-a-number",
  "device-lost",
  "replaying",
  "unsupported",
  "denied",
  "too-many",
  "device-unknown",
] as const;
export type AckCode = (typeof ACK_CODES)[number];

/**
 * The answer to a command. `reached` false: it was sent, and the device does not say whether it did it. `detail` of what is done: how
 * it differs from what was asked. `field` and `limits`: of a parameter that is refused.
 */
export const Ack = Type.Object(
  {
    ok: Type.Boolean(),
    reached: Type.Optional(Type.Boolean()),
    code: Type.Optional(Type.Enum(ACK_CODES)),
    detail: Type.Optional(Type.String()),
    field: Type.Optional(Type.String()),
    limits: Type.Optional(Type.Tuple([Type.Number(), Type.Number()])),
    tookMs: Type.Number(),
  },
  { examples: [{ ok: true, tookMs: 4 }] },
);
export type Ack = Static<typeof Ack>;

/** A person in a page, or a program with its key or session. */
export const Holder = Type.Object({
  user: Type.String(),
  tab: Type.Optional(Type.String({ description: "The page in which the person is in control" })),
  program: Type.Optional(Type.String({ description: "The program that is in control for the person" })),
});
export type Holder = Static<typeof Holder>;

/** Who is in control of a device, for how long if nothing happens. */
export const Lease = Type.Object({
  holder: Holder,
  since: Type.String({ format: "date-time" }),
  until: Type.String({ format: "date-time" }),
});
export type Lease = Static<typeof Lease>;

/** PUT …/devices/{device}/lease */
export const TakeLease = Type.Object({ takeOver: Type.Optional(Type.Boolean()) });

/** POST …/devices/{device}/{capability}/commands */
export const NewCommand = Type.Object({
  name: Type.String({ minLength: 1, maxLength: DEVICES_LIMITS.maxIdLength }),
  params: Type.Optional(JSON_OBJECT),
});
export type NewCommand = { name: string; params?: JsonObject };

/** POST …/devices/stop: what each device answered. */
export const StopAnswer = Type.Object({ devices: Type.Record(Type.String(), Ack) });
export type StopAnswer = Static<typeof StopAnswer>;

const LIMITS = Type.Tuple([Type.Number(), Type.Number()]);

/** What a workspace sets for a device, besides what the device says itself. */
export const DeviceSettings = Type.Object({
  latch: Type.Boolean({ description: "It runs on without somebody who holds the control, until the lease ends" }),
  kept: Type.Array(Type.String({ minLength: 1, maxLength: 2 * DEVICES_LIMITS.maxIdLength + 1 }), {
    description: "Capabilities, or `capability/rail`, that a stop leaves on, so that devices can still be read",
    maxItems: DEVICES_LIMITS.maxCapabilities,
  }),
  limits: Type.Record(Type.String(), Type.Record(Type.String(), LIMITS), {
    description: "Lowest and highest value by capability and field; they narrow those of the device",
    maxProperties: DEVICES_LIMITS.maxCapabilities,
  }),
});
export type DeviceSettings = Static<typeof DeviceSettings>;

/** PUT …/devices/{device}/settings: what is not given stays. */
export const ChangeDeviceSettings = Type.Partial(DeviceSettings);
export type ChangeDeviceSettings = Static<typeof ChangeDeviceSettings>;
