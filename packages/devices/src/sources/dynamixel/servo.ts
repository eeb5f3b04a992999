import type { Capability, Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { type Layout, readLayout, writeLayout } from "../codec.ts";

/** Where things are in the memory of the X series, and of the MX series with Protocol 2.0. */
export const ADDRESS = { mode: 11, limits: 48, torque: 64, watchdog: 98, profile: 112, goal: 116 } as const;
export const POSITION_MODE = 3;
/** The watchdog counts in 20 ms. */
export const WATCHDOG_MS = 20;

const UNITS_PER_DEG = 4_096 / 360;
/** Straight ahead. */
const MIDDLE = 2_048;
/** One of the units of velocity, 0.229 turns per minute. */
const DEG_S_PER_UNIT = 0.229 * 6;

const LIMITS = [
  ["max", "i32le"],
  ["min", "i32le"],
] as const satisfies Layout<string>;

/** From the goal (116) to the temperature (146). */
const MEASURED = [
  ["goal", "i32le"],
  ["realtime", "u16le"],
  ["moving", "u8"],
  ["movingStatus", "u8"],
  ["pwm", "i16le"],
  ["effort", "i16le"],
  ["velocity", "i32le"],
  ["position", "i32le"],
  ["plannedVelocity", "i32le"],
  ["plannedPosition", "i32le"],
  ["voltage", "u16le", 10],
  ["temperatureC", "u8"],
] as const satisfies Layout<string>;
export const MEASURED_BYTES = 31;

/** From the torque (64) to the error (70). */
const HEALTH = [
  ["torque", "u8"],
  ["led", "u8"],
  ["reserved", "u16le"],
  ["statusLevel", "u8"],
  ["registered", "u8"],
  ["errors", "u8"],
] as const satisfies Layout<string>;
export const HEALTH_BYTES = 7;

type Data = readonly number[];
const bufferOf = (data: Data): Buffer => Buffer.from(data);
export const readMeasured = (data: Data) => readLayout(MEASURED, bufferOf(data));
export const readHealth = (data: Data) => readLayout(HEALTH, bufferOf(data));
export const readLimits = (data: Data) => readLayout(LIMITS, bufferOf(data));
export type Measured = NonNullable<ReturnType<typeof readMeasured>>;

export const toUnits = (deg: number): number => Math.round(deg * UNITS_PER_DEG) + MIDDLE;
export const toDeg = (units: number): number => Number(((units - MIDDLE) / UNITS_PER_DEG).toFixed(2)) + 0;

/** Where it is by now, if it went on as it did when this was measured. */
export const expectedUnits = ({ position, velocity }: Measured, ageMs: number): number =>
  Math.round(position + (velocity * DEG_S_PER_UNIT * UNITS_PER_DEG * ageMs) / 1_000);

/** Profile velocity and goal, which lie side by side. 0 is as fast as it can; the slowest that it knows is 1. */
export function profileAndGoal(fromUnits: number, goalUnits: number, overS: number): number[] {
  const degS = overS > 0 ? Math.abs(goalUnits - fromUnits) / UNITS_PER_DEG / overS : 0;
  const velocity = overS > 0 ? Math.max(1, Math.ceil(degS / DEG_S_PER_UNIT)) : 0;
  return [
    ...writeLayout(
      [
        ["velocity", "i32le"],
        ["goal", "i32le"],
      ],
      { velocity, goal: goalUnits },
    ),
  ];
}

/** What its effort is measured in: a share of its torque, or a current. */
type Effort = "load" | { milliamperes: number };
export type Model = { name: string; effort: Effort };

const models = (effort: Effort, names: Readonly<Record<number, string>>): [number, Model][] =>
  Object.entries(names).map(([number, name]) => [Number(number), { name, effort }]);

/** Those whose memory is as above. Writing to another one could set anything. */
const MODELS: ReadonlyMap<number, Model> = new Map([
  ...models("load", { 30: "MX-28", 1060: "XL430-W250", 1070: "XC430-W150", 1080: "XC430-W240" }),
  ...models("load", { 1090: "2XL430-W250", 1160: "2XC430-W250" }),
  ...models({ milliamperes: 2.69 }, { 1000: "XH430-W350", 1010: "XH430-W210", 1020: "XM430-W350", 1030: "XM430-W210" }),
  ...models({ milliamperes: 2.69 }, { 1040: "XH430-V350", 1050: "XH430-V210", 1120: "XM540-W270", 1130: "XM540-W150" }),
  ...models({ milliamperes: 2.69 }, { 1100: "XH540-W150", 1110: "XH540-W270", 1140: "XH540-V270", 1150: "XH540-V150" }),
  ...models({ milliamperes: 3.36 }, { 311: "MX-64", 321: "MX-106" }),
  ...models({ milliamperes: 1 }, { 1190: "XL330-M077", 1200: "XL330-M288", 1210: "XC330-T181", 1220: "XC330-T288" }),
  ...models({ milliamperes: 1 }, { 1230: "XC330-M181", 1240: "XC330-M288" }),
]);
export const modelOf = (number: number): Model | undefined => MODELS.get(number);

export type Servo = {
  id: number;
  model: Model;
  firmware: number;
  min: number;
  max: number;
  hasTorque: boolean;
  last: { measured: Measured; atMs: number } | undefined;
};

export const channelOf = ({ id }: Pick<Servo, "id">): string => `servo${id}`;
const MAX_OVER_S = 30;

/** One capability for all: a pose moves them together. */
export function capabilityOf(servos: readonly Servo[]): Capability {
  const number = (unit: string, limits: Partial<Field> = {}): Field => ({ datatype: "number", unit, ...limits });
  const fields = servos.flatMap((servo): [string, Field][] => {
    const channel = channelOf(servo);
    const travel = number("°", { min: toDeg(servo.min), max: toDeg(servo.max) });
    const isLoad = servo.model.effort === "load";
    return [
      [`${channel}_deg`, travel],
      [`${channel}_target_deg`, travel],
      isLoad ? [`${channel}_load_pct`, number("%", { min: 0, max: 100 })] : [`${channel}_current_a`, number("A")],
      [`${channel}_c`, number("°C", { max: 80 })],
    ];
  });
  const travels = servos.map((servo) => [
    `${channelOf(servo)}_deg`,
    { type: "number", minimum: toDeg(servo.min), maximum: toDeg(servo.max) },
  ]);
  return {
    ...{ id: "servos", kind: "servo", name: "Servos" },
    fields: { ...Object.fromEntries(fields), voltage_v: number("V") },
    commands: {
      pose: {
        effect: "moves",
        params: {
          type: "object",
          properties: { ...Object.fromEntries(travels), over_s: { type: "number", minimum: 0, maximum: MAX_OVER_S } },
        },
      },
      torque: {
        effect: "moves",
        params: { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] },
      },
      stop: { effect: "none", params: { type: "object" } },
    },
  };
}

export function sampleOf(servo: Servo, measured: Measured): JsonObject {
  const channel = channelOf(servo);
  const { effort } = servo.model;
  return {
    [`${channel}_deg`]: toDeg(measured.position),
    [`${channel}_target_deg`]: toDeg(measured.goal),
    ...(effort === "load"
      ? { [`${channel}_load_pct`]: Math.abs(measured.effort) / 10 }
      : { [`${channel}_current_a`]: Number(((measured.effort * effort.milliamperes) / 1_000).toFixed(4)) }),
    [`${channel}_c`]: measured.temperatureC,
    voltage_v: measured.voltage,
  };
}

const ERRORS = ["supply voltage", "", "too hot", "encoder", "electrical shock", "overload"] as const;
export function errorWords(id: number, errors: number): string {
  const found = ERRORS.filter((words, bit) => words !== "" && (errors & (1 << bit)) !== 0);
  return `Servo ${id} has switched itself off: ${found.join(", ") || `error ${errors}`}. Switch its supply off and on.`;
}
