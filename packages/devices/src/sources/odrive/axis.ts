import type { Capability, Command, Field } from "@backplane/contract/devices";
import { readNumbers } from "./codec.ts";

export const RAD_PER_TURN = 2 * Math.PI;
/** An axis turns without end; positions far away are a mistake. */
const MAX_POSITION_RAD = 10_000;

/** ODrive's numbers for `requested_state`, `control_mode` and `input_mode`. */
export const STATE = { idle: 1, closedLoop: 8 } as const;
export const PASS_THROUGH = 1;

/** How a command becomes a setpoint. `toDrive`: ODrive's unit per ours. */
export const SETPOINTS = {
  velocity: { letter: "v", mode: 2, param: "velocity_rad_s", input: "controller.input_vel", toDrive: 1 / RAD_PER_TURN },
  position: { letter: "p", mode: 3, param: "position_rad", input: "controller.input_pos", toDrive: 1 / RAD_PER_TURN },
  torque: { letter: "c", mode: 1, param: "torque_nm", input: "controller.input_torque", toDrive: 1 },
} as const;
export type SetpointName = keyof typeof SETPOINTS;
export const isSetpoint = (name: string): name is SetpointName => Object.hasOwn(SETPOINTS, name);

/** Reads a property of the drive. Undefined: it has none of this name, or the connection ended. */
export type ReadProperty = (property: string, isUrgent?: boolean) => Promise<number | undefined>;

/** What an axis is and has: names of properties differ between versions of the firmware, and some have no sensor. */
export type AxisAbout = {
  number: number;
  maxRadS: number | undefined;
  maxTorqueNm: number | undefined;
  torqueConstant: number | undefined;
  current: string | undefined;
  errors: string | undefined;
  /** Field → property. */
  temperatures: Readonly<Record<string, string>>;
  /** Undefined: it has no watchdog. Otherwise whether it was on. */
  watchdog: boolean | undefined;
};

/** Firmware 0.5 first, then 0.6. */
const NAMES = {
  current: ["motor.current_control.Iq_measured", "motor.foc.Iq_measured"],
  errors: ["error", "active_errors"],
  torqueConstant: ["motor.config.torque_constant", "config.motor.torque_constant"],
  maxCurrent: ["motor.config.current_lim", "config.motor.current_soft_max"],
  motor_c: ["motor.motor_thermistor.temperature", "motor_thermistor.temperature"],
  driver_c: ["motor.fet_thermistor.temperature", "fet_thermistor.temperature"],
} as const;

export async function readAxis(number: number, read: ReadProperty): Promise<AxisAbout> {
  const of = (name: string) => read(`axis${number}.${name}`);
  async function first(names: readonly string[]): Promise<{ name: string; value: number } | undefined> {
    for (const name of names) {
      const value = await of(name);
      if (value !== undefined) return { name: `axis${number}.${name}`, value };
    }
    return undefined;
  }
  const maxTurnsS = await of("controller.config.vel_limit");
  const torqueConstant = (await first(NAMES.torqueConstant))?.value;
  const maxCurrent = (await first(NAMES.maxCurrent))?.value;
  const temperatures = { motor_c: await first(NAMES.motor_c), driver_c: await first(NAMES.driver_c) };
  const watchdog = await of("config.enable_watchdog");
  return {
    number,
    maxRadS: maxTurnsS === undefined ? undefined : rounded(maxTurnsS * RAD_PER_TURN),
    maxTorqueNm: torqueConstant && maxCurrent ? rounded(torqueConstant * maxCurrent) : undefined,
    torqueConstant,
    current: (await first(NAMES.current))?.name,
    errors: (await first(NAMES.errors))?.name,
    temperatures: Object.fromEntries(
      Object.entries(temperatures).flatMap(([field, found]) => (found ? [[field, found.name]] : [])),
    ),
    watchdog: watchdog === undefined ? undefined : watchdog !== 0,
  };
}

/** As the motors that describe themselves by Homie do, so that one panel shows both. */
export function capabilityOf(axis: AxisAbout): Capability {
  const { maxRadS, maxTorqueNm } = axis;
  const within = (most: number) => ({ type: "number", minimum: -most, maximum: most });
  const moves = (param: string, most: number): Command => ({
    effect: "moves",
    params: { type: "object", properties: { [param]: within(most) }, required: [param] },
  });
  const speed: Field = { datatype: "number", unit: "rad/s", ...(maxRadS ? { min: -maxRadS, max: maxRadS } : {}) };
  const number = (unit: string): Field => ({ datatype: "number", unit });
  return {
    id: capabilityId(axis.number),
    kind: "motor",
    name: `Axis ${axis.number}`,
    fields: {
      ...{ velocity_rad_s: speed, target_rad_s: speed, position_rad: number("rad") },
      ...(axis.current ? { current_a: number("A") } : {}),
      ...(axis.current && axis.torqueConstant ? { torque_nm: number("N m") } : {}),
      bus_voltage_v: number("V"),
      ...Object.fromEntries(Object.keys(axis.temperatures).map((field) => [field, number("°C")])),
    },
    // Without a limit of the drive nobody knows how fast is too fast.
    commands: {
      ...(maxRadS
        ? { velocity: moves("velocity_rad_s", maxRadS), position: moves("position_rad", MAX_POSITION_RAD) }
        : {}),
      ...(maxTorqueNm ? { torque: moves("torque_nm", maxTorqueNm) } : {}),
      idle: { effect: "none", params: { type: "object" } },
      clear_errors: { effect: "none", params: { type: "object" } },
    },
  };
}

export const capabilityId = (axis: number): string => `axis${axis}`;

/** The value of a property; booleans are 0 and 1 in some versions, words in others. */
export function readValue(text: string): number | undefined {
  if (text === "True" || text === "False") return text === "True" ? 1 : 0;
  return readNumbers(text, 1)?.[0];
}

const rounded = (value: number): number => Number(value.toPrecision(6));
