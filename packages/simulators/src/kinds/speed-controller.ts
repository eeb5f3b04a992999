import { type CommandAnswer, noise, rounded, type SimulatedKind } from "../simulator.ts";

/** A propeller needs the square of the speed as torque, and so more than that as current. */
const IDLE_A = 0.42;
const FULL_A = 15.6;
const LOAD_EXPONENT = 2.68;
const FULL_ERPM = 74_000;
const SPEED_S = 0.12;
const BRAKE_S = 0.03;
/** The timing at which it needs least, and how much more at none. */
const BEST_TIMING_DEG = 18;
const WRONG_TIMING_SHARE = 0.12;
const CELLS_V = 16.4;
const SUPPLY_OHM = 0.07;
const CAPACITY_MAH = 1_500;
const RESISTANCE_OHM = 0.045;
const THERMAL_J_K = 6;
const THERMAL_W_K = 0.09;
const ROOM_C = 25;
const BAD_SHARE = 0.000_3;
/** How much slower an unloaded propeller gets from a sagging supply is in its voltage. */
const THERE_SHARE = 0.02;

/** A speed controller with a propeller: load by the square of the speed, a supply that sags, and telemetry with bad checksums. */
export const speedController: SimulatedKind = {
  kind: "speed-controller",
  name: "Speed controller",
  model: "35 A with 5×4.3 propeller",
  description: "A speed controller with a propeller: throttle and telemetry",
  nodes: {
    esc: {
      ...{ name: "Controller", kind: "speed-controller", rateHz: 30 },
      fields: {
        throttle_pct: { unit: "%", min: 0, max: 100 },
        erpm: { min: 0, type: "integer" },
        current_a: { unit: "A", min: 0, max: 35 },
        voltage_v: { unit: "V", min: 0, max: 17 },
        consumed_mah: { unit: "mAh", min: 0 },
        temperature_c: { unit: "°C", max: 100 },
        stress_pct: { unit: "%", min: 0, max: 100 },
        frames: { type: "integer", min: 0 },
        bad_frames: { type: "integer", min: 0 },
        settings: { type: "object" },
      },
      commands: {
        throttle: { effect: "moves", params: { throttle_pct: { type: "number", minimum: 0, maximum: 100 } } },
        beep: { effect: "changes", params: { tone: { type: "integer", minimum: 1, maximum: 5 } } },
        settings: {
          effect: "changes",
          required: [],
          params: {
            timing_deg: { type: "number", minimum: 0, maximum: 30 },
            ramp_pct_s: { type: "number", minimum: 20, maximum: 1_000 },
            brake_on_stop: { type: "boolean" },
          },
        },
        stop: { effect: "none" },
      },
    },
  },
  create(random) {
    let [throttle, speed, volts, amps, consumedMah, warmC] = [0, 0, CELLS_V, 0, 0, ROOM_C];
    let [frames, bad, wornShare] = [0, 0, 1];
    /** What the throttle has become so far, by the ramp. */
    let ramped = 0;
    const settings = { timing_deg: BEST_TIMING_DEG, ramp_pct_s: 800, brake_on_stop: false };

    const stop = (): CommandAnswer => {
      throttle = 0;
      return { ok: true };
    };

    return {
      step(seconds) {
        ramped = Math.min(throttle, ramped + (settings.ramp_pct_s / 100) * seconds);
        const followsS = throttle === 0 && settings.brake_on_stop ? BRAKE_S : SPEED_S;
        speed += (ramped - speed) * Math.min(1, seconds / followsS) || 0;
        const timing = 1 + WRONG_TIMING_SHARE * (settings.timing_deg / BEST_TIMING_DEG - 1) ** 2;
        amps = speed < 0.005 ? 0 : (IDLE_A + FULL_A * speed ** LOAD_EXPONENT) * wornShare * timing;
        consumedMah += (amps * 1_000 * seconds) / 3_600;
        volts = CELLS_V - 1.4 * Math.min(1, consumedMah / CAPACITY_MAH) - SUPPLY_OHM * amps;
        const lossW = amps * amps * RESISTANCE_OHM + 0.3 * amps;
        warmC += ((lossW - (warmC - ROOM_C) * THERMAL_W_K) * seconds) / THERMAL_J_K;
      },
      read() {
        frames += 1;
        if (random() < BAD_SHARE) bad += 1;
        return {
          throttle_pct: rounded(100 * throttle, 1),
          erpm: Math.max(0, Math.round((FULL_ERPM * speed * volts) / CELLS_V / 100) * 100),
          current_a: rounded(Math.max(0, amps + (amps > 0 ? noise(random, 0.02) : 0)), 2),
          voltage_v: rounded(volts + noise(random, 0.005), 2),
          consumed_mah: rounded(consumedMah, 0),
          temperature_c: rounded(warmC, 1),
          stress_pct: rounded(Math.min(100, 100 * (Math.abs(throttle - speed) + (amps / 35) ** 2)), 0),
          ...{ frames, bad_frames: bad, settings: { ...settings } },
        };
      },
      tell(what, value) {
        if (what === "worn_share" && typeof value === "number") wornShare = value;
        if (what === "temperature_c" && typeof value === "number") warmC = value;
      },
      command(_node, name, params) {
        if (name === "stop") return stop();
        if (name === "beep")
          return throttle > 0 ? { ok: false, code: "denied", detail: "It beeps only at rest." } : { ok: true };
        if (name === "settings") {
          if (throttle > 0) return { ok: false, code: "denied", detail: "Settings are changed only at rest." };
          for (const key of ["timing_deg", "ramp_pct_s"] as const)
            if (typeof params[key] === "number") settings[key] = params[key];
          if (typeof params.brake_on_stop === "boolean") settings.brake_on_stop = params.brake_on_stop;
          return { ok: true };
        }
        throttle = Number(params.throttle_pct) / 100;
        return { ok: true, isThere: () => Math.abs(speed - throttle) < THERE_SHARE };
      },
      watchdog: stop,
    };
  },
};
