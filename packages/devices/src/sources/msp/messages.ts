import type { Layout } from "../codec.ts";

/** Numbers of the messages that are used here (`msp_protocol.h` of Betaflight). */
export const CODE = {
  ...{ api: 1, variant: 2, version: 3, features: 36, status: 101, motor: 104, analog: 110 },
  ...{ battery: 130, motorConfig: 131, telemetry: 139, setMotor: 214 },
} as const;

export const LAYOUTS = {
  api: [
    ["protocol", "u8"],
    ["major", "u8"],
    ["minor", "u8"],
  ],
  version: [
    ["major", "u8"],
    ["minor", "u8"],
    ["patch", "u8"],
  ],
  features: [["flags", "u32le"]],
  status: [
    ["cycleUs", "u16le"],
    ["i2cErrors", "u16le"],
    ["sensors", "u16le"],
    ["modes", "u32le"],
  ],
  motorConfig: [
    ["minThrottle", "u16le"],
    ["maxThrottle", "u16le"],
    ["minCommand", "u16le"],
    ["motors", "u8"],
    ["poles", "u8"],
  ],
  analog: [["voltageV", "u8", 10]],
  battery: [
    ["cells", "u8"],
    ["capacityMah", "u16le"],
    ["voltageV", "u8", 10],
    ["consumedMah", "u16le"],
    ["currentA", "u16le", 100],
  ],
  /** Of one motor; the count is before the first one. */
  telemetry: [
    ["rpm", "u32le"],
    ["invalidPct", "u16le", 100],
    ["temperatureC", "u8"],
    ["voltageV", "u16le", 100],
    ["currentA", "u16le", 100],
    ["consumedMah", "u16le"],
  ],
} as const satisfies Record<string, Layout<string>>;

export const MOTORS = 8;
/** What stands for no throttle, and for full throttle. */
export const [STOP, FULL] = [1_000, 2_000];
/** FEATURE_3D: the middle is the stop, and 1000 is full speed backwards. */
export const FEATURE_3D = 1 << 12;
/** The first mode is always ARM. */
export const MODE_ARM = 1;

/** Motors as they are on the wire. */
export const motorBytes = (values: readonly number[]): number[] =>
  values.flatMap((value) => [value & 0xff, (value >> 8) & 0xff]);
export const motorsIn = (payload: readonly number[]): number[] =>
  Array.from(
    { length: Math.floor(payload.length / 2) },
    (_, i) => (payload[2 * i] ?? 0) + 256 * (payload[2 * i + 1] ?? 0),
  );
