import type { Capability, Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { VescAnswer, VescRequest } from "./codec.ts";

type Values = Extract<VescAnswer, { command: "values" }>;

/** As which kind of device a controller is shown: both are told one number. */
export type Face = {
  id: string;
  capability: Capability;
  /** The name of the command that stops. */
  stops: string;
  moves: { command: string; param: string; setpoint(value: number): VescRequest };
  sampleOf(values: Values, told: VescRequest | undefined): JsonObject;
  isThere(values: Values, told: VescRequest): boolean;
};

const number = (unit: string, limits: Partial<Field> = {}): Field => ({ datatype: "number", unit, ...limits });
const movesWithin = (param: string, minimum: number, maximum: number) => ({
  effect: "moves" as const,
  params: { type: "object", properties: { [param]: { type: "number", minimum, maximum } }, required: [param] },
});
const STOPS = { effect: "none" as const, params: { type: "object" } };

const numberOf = (told: VescRequest | undefined): number => (told && "value" in told ? told.value : 0);
const THERE_DUTY = 0.02;
const THERE_SHARE = 0.05;
/** Slow speeds are not measured better than this. */
const THERE_ERPM = 150;

/** Throttle is the duty of the bridge. */
export const asSpeedController = (): Face => ({
  ...{ id: "esc", stops: "stop" },
  capability: {
    ...{ id: "esc", kind: "speed-controller", name: "Controller" },
    fields: {
      ...{ throttle_pct: number("%", { min: 0, max: 100 }), erpm: { datatype: "integer" }, current_a: number("A") },
      ...{ voltage_v: number("V"), consumed_mah: number("mAh"), temperature_c: number("°C") },
    },
    commands: { throttle: movesWithin("throttle_pct", 0, 100), stop: STOPS },
  },
  moves: {
    ...{ command: "throttle", param: "throttle_pct" },
    setpoint: (pct) => ({ command: "duty", value: pct / 100 }),
  },
  sampleOf: (values) => ({
    ...{ throttle_pct: rounded(100 * values.duty), erpm: values.erpm, current_a: values.inputA },
    ...{ voltage_v: values.inputV, consumed_mah: rounded(1_000 * values.usedAh), temperature_c: values.driverC },
  }),
  isThere: ({ duty }, told) => Math.abs(duty - numberOf(told)) <= THERE_DUTY,
});

export function asMotor(polePairs: number, maxErpm: number): Face {
  const toErpm = (60 / (2 * Math.PI)) * polePairs;
  const toRadS = (erpm: number) => rounded(erpm / toErpm);
  // Rounded down: the limit is what nobody may exceed.
  const most = Math.floor((1_000 * maxErpm) / toErpm) / 1_000;
  const speed = number("rad/s", { min: -most, max: most });
  return {
    ...{ id: "motor", stops: "idle" },
    capability: {
      ...{ id: "motor", kind: "motor", name: "Motor" },
      fields: {
        ...{ velocity_rad_s: speed, target_rad_s: speed, current_a: number("A"), bus_voltage_v: number("V") },
        ...{ motor_c: number("°C"), driver_c: number("°C") },
      },
      commands: { velocity: movesWithin("velocity_rad_s", -most, most), idle: STOPS },
    },
    moves: {
      ...{ command: "velocity", param: "velocity_rad_s" },
      setpoint: (radS) => ({ command: "erpm", value: Math.round(radS * toErpm) }),
    },
    sampleOf: (values, told) => ({
      ...{ velocity_rad_s: toRadS(values.erpm), target_rad_s: told ? toRadS(numberOf(told)) : null },
      ...{ current_a: values.motorA, bus_voltage_v: values.inputV, motor_c: values.motorC, driver_c: values.driverC },
    }),
    isThere: ({ erpm }, told) =>
      Math.abs(erpm - numberOf(told)) <= Math.max(THERE_ERPM, THERE_SHARE * Math.abs(numberOf(told))),
  };
}

/** `mc_fault_code` of the firmware. */
const FAULTS: readonly string[] = [
  ...["none", "over voltage", "under voltage", "gate driver", "over current", "driver too hot", "motor too hot"],
  ...["gate driver over voltage", "gate driver under voltage", "processor under voltage", "restarted by its watchdog"],
];
export const faultWords = (code: number): string =>
  `The controller reports a fault: ${FAULTS[code] ?? "unknown"} (${code}).`;

const rounded = (value: number): number => Number(value.toFixed(3)) + 0;
