import type { JsonObject } from "@backplane/contract/panels";
import { type CommandAnswer, noise, rounded, type SimulatedKind } from "../simulator.ts";

const BUS_V = 24;
const RESISTANCE_OHM = 0.6;
/** Volt per rad/s, and newton metre per ampere. */
const CONSTANT = 0.05;
const INERTIA_KG_M2 = 0.000_4;
const FRICTION_NM_S = 0.000_6;
const MAX_RAD_S = 200;
const MAX_CURRENT_A = 15;
const THERMAL_J_K = 45;
const THERMAL_W_K = 0.6;
const ROOM_C = 23;
const MAX_STEP_S = 0.001;
const VELOCITY_GAIN_A_S = 0.12;
const POSITION_GAIN_PER_S = 8;

type Mode = "idle" | "velocity" | "position" | "torque";

/** A brushless motor with its driver: a second order, heat, an encoder with noise, a latch and a watchdog. */
export const motor: SimulatedKind = {
  kind: "motor",
  name: "Motor",
  model: "5008, 24 V",
  description: "A motor with its driver: velocity, position or torque",
  nodes: {
    motor: {
      ...{ name: "Motor", kind: "motor", rateHz: 50 },
      fields: {
        velocity_rad_s: { unit: "rad/s", min: -MAX_RAD_S, max: MAX_RAD_S },
        target_rad_s: { unit: "rad/s", min: -MAX_RAD_S, max: MAX_RAD_S },
        position_rad: { unit: "rad" },
        current_a: { unit: "A", min: -MAX_CURRENT_A, max: MAX_CURRENT_A },
        torque_nm: { unit: "N m" },
        bus_voltage_v: { unit: "V", min: 0, max: 30 },
        motor_c: { unit: "°C", max: 120 },
        driver_c: { unit: "°C", max: 100 },
      },
      commands: {
        velocity: {
          effect: "moves",
          params: { velocity_rad_s: { type: "number", minimum: -MAX_RAD_S, maximum: MAX_RAD_S } },
        },
        position: { effect: "moves", params: { position_rad: { type: "number", minimum: -1_000, maximum: 1_000 } } },
        torque: { effect: "moves", params: { torque_nm: { type: "number", minimum: -0.5, maximum: 0.5 } } },
        idle: { effect: "none" },
        clear_errors: { effect: "none" },
      },
    },
  },
  create(random) {
    let mode: Mode = "idle";
    let target = 0;
    let [velocity, position, current, motorC, driverC] = [0, 0, 0, ROOM_C, ROOM_C];

    function wantedCurrent(): number {
      if (mode === "idle") return 0;
      if (mode === "torque") return target / CONSTANT;
      const wanted = mode === "velocity" ? target : (target - position) * POSITION_GAIN_PER_S;
      return (
        (Math.max(-MAX_RAD_S, Math.min(MAX_RAD_S, wanted)) - velocity) * VELOCITY_GAIN_A_S +
        (FRICTION_NM_S * velocity) / CONSTANT
      );
    }

    function move(seconds: number): void {
      const reachable = (BUS_V - Math.abs(velocity) * CONSTANT) / RESISTANCE_OHM;
      const limit = Math.max(0, Math.min(MAX_CURRENT_A, reachable));
      current = Math.max(-limit, Math.min(limit, wantedCurrent()));
      const torque = current * CONSTANT - FRICTION_NM_S * velocity;
      velocity += (torque / INERTIA_KG_M2) * seconds;
      position += velocity * seconds;
      const lossW = current * current * RESISTANCE_OHM;
      motorC += ((lossW - (motorC - ROOM_C) * THERMAL_W_K) * seconds) / THERMAL_J_K;
      driverC += ((lossW * 0.4 - (driverC - ROOM_C) * THERMAL_W_K) * seconds) / THERMAL_J_K;
    }

    const idle = (): CommandAnswer => {
      mode = "idle";
      target = 0;
      return { ok: true };
    };

    return {
      step(seconds) {
        for (let left = seconds; left > 0; left -= MAX_STEP_S) move(Math.min(left, MAX_STEP_S));
      },
      read: () => ({
        velocity_rad_s: rounded(velocity + noise(random, 0.03), 3),
        target_rad_s: mode === "velocity" ? target : null,
        position_rad: rounded(position, 4),
        current_a: rounded(current + noise(random, 0.01), 3),
        torque_nm: rounded(current * CONSTANT, 4),
        bus_voltage_v: rounded(BUS_V - Math.abs(current) * 0.05 + noise(random, 0.005), 3),
        motor_c: rounded(motorC, 2),
        driver_c: rounded(driverC, 2),
      }),
      command(_node, name, params: JsonObject) {
        if (name === "idle" || name === "clear_errors") return idle();
        const value = params[{ velocity: "velocity_rad_s", position: "position_rad", torque: "torque_nm" }[name] ?? ""];
        if (typeof value !== "number" || !Number.isFinite(value)) return { ok: false, code: "not-a-number" };
        mode = name as Mode;
        target = value;
        return { ok: true };
      },
      watchdog: idle,
    };
  },
};
