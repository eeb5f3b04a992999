import type { JsonObject } from "@backplane/contract/panels";
import { type CommandAnswer, noise, rounded, type SimulatedField, type SimulatedKind } from "../simulator.ts";

/** Travel in degrees, and how much of its torque it needs to hold the arm. */
const CHANNELS = {
  base_turn: { min: -150, max: 150, at: 34, hold: 0.05 },
  shoulder_l: { min: -90, max: 90, at: 62, hold: 0.35 },
  shoulder_r: { min: -90, max: 90, at: -62, hold: 0.35 },
  elbow: { min: -120, max: 120, at: 84, hold: 0.45 },
  wrist_tilt: { min: -100, max: 100, at: -28, hold: 0.15 },
  wrist_turn: { min: -150, max: 150, at: 12, hold: 0.03 },
  gripper: { min: 0, max: 70, at: 18, hold: 0.3 },
  camera_tilt: { min: -45, max: 45, at: 20, hold: 0.04 },
} as const;
type Channel = keyof typeof CHANNELS;
const NAMES = Object.keys(CHANNELS) as Channel[];

/** What they move, seen from the side. */
const ARM = {
  ...{ base_mm: 60, turn: "base_turn" },
  links: [
    { channel: "shoulder_l", length_mm: 120, zero_deg: -30 },
    { channel: "elbow", length_mm: 110, zero_deg: 0 },
    { channel: "wrist_tilt", length_mm: 60, zero_deg: 0 },
  ],
} satisfies JsonObject;

const MAX_DEG_S = 180;
const ROOM_C = 25;
/** Of full load, in the end. */
const WARMTH_K = 60;
const THERMAL_S = 180;
/** Less than its encoder can tell: what is nearly there is still on its way. */
const THERE_DEG = 0.05;
const MAX_OVER_S = 30;

type Joint = {
  deg: number;
  fromDeg: number;
  targetDeg: number;
  passedS: number;
  overS: number;
  load: number;
  warmC: number;
};

const fieldsOf = (channel: Channel): Record<string, SimulatedField> => {
  const { min, max } = CHANNELS[channel];
  return {
    [`${channel}_deg`]: { unit: "°", min, max },
    [`${channel}_target_deg`]: { unit: "°", min, max },
    [`${channel}_load_pct`]: { unit: "%", min: 0, max: 100 },
    [`${channel}_c`]: { unit: "°C", max: 70 },
  };
};
const travelOf = (channel: Channel) => {
  const { min, max } = CHANNELS[channel];
  return [`${channel}_deg`, { type: "number", minimum: min, maximum: max }] as const;
};

/** The servos of an arm on one bus: limited in speed, loaded by what they carry. */
export const servo: SimulatedKind = {
  kind: "servo",
  name: "Servos",
  model: "8 bus servos",
  description: "The eight servos of an arm: poses, load and heat",
  nodes: {
    servos: {
      ...{ name: "Servos", kind: "servo", rateHz: 20 },
      fields: {
        ...Object.assign({}, ...NAMES.map(fieldsOf)),
        voltage_v: { unit: "V", min: 0, max: 15 },
        arm: { type: "object" },
      },
      commands: {
        pose: {
          effect: "moves",
          required: [],
          params: {
            ...Object.fromEntries(NAMES.map(travelOf)),
            over_s: { type: "number", minimum: 0, maximum: MAX_OVER_S },
          },
        },
        torque: { effect: "moves", params: { on: { type: "boolean" } } },
        stop: { effect: "none" },
      },
    },
  },
  create(random) {
    const joints = new Map<Channel, Joint>(
      NAMES.map((name) => {
        const { at, hold } = CHANNELS[name];
        return [
          name,
          { deg: at, fromDeg: at, targetDeg: at, passedS: 0, overS: 0, load: hold, warmC: ROOM_C + hold * WARMTH_K },
        ];
      }),
    );
    let hasTorque = true;

    function move(joint: Joint, hold: number, seconds: number): void {
      joint.passedS += seconds;
      const share = joint.overS > 0 ? Math.min(1, joint.passedS / joint.overS) : 1;
      const goal = joint.fromDeg + (joint.targetDeg - joint.fromDeg) * share;
      const most = MAX_DEG_S * seconds;
      const step = hasTorque ? Math.max(-most, Math.min(most, goal - joint.deg)) : 0;
      joint.deg += step;
      const speed = Math.abs(step) / Math.max(seconds, 1e-6) / MAX_DEG_S;
      joint.load = hasTorque ? Math.min(1, hold + 0.5 * speed) : 0;
      joint.warmC += ((ROOM_C + joint.load * WARMTH_K - joint.warmC) * seconds) / THERMAL_S;
    }

    const stop = (): CommandAnswer => {
      for (const joint of joints.values()) Object.assign(joint, { fromDeg: joint.deg, targetDeg: joint.deg, overS: 0 });
      return { ok: true };
    };

    return {
      step(seconds) {
        for (const [name, joint] of joints) move(joint, CHANNELS[name].hold, seconds);
      },
      read() {
        const total = [...joints.values()].reduce((sum, { load }) => sum + load, 0);
        const entries = [...joints].flatMap(([name, { deg, targetDeg, load, warmC }]) => [
          [`${name}_deg`, rounded(deg + noise(random, 0.03), 1)],
          [`${name}_target_deg`, rounded(targetDeg, 1)],
          [`${name}_load_pct`, rounded(100 * load, 0)],
          [`${name}_c`, rounded(warmC, 1)],
        ]);
        return { ...Object.fromEntries(entries), voltage_v: rounded(12.4 - 0.2 * total, 2), arm: ARM };
      },
      command(_node, name, params) {
        if (name === "stop") return stop();
        if (name === "torque") {
          hasTorque = params.on === true;
          return stop();
        }
        if (!hasTorque) return { ok: false, code: "denied", detail: "The torque is off: switch it on first." };
        const overS = typeof params.over_s === "number" ? params.over_s : 0;
        const asked: Joint[] = [];
        for (const [channel, joint] of joints) {
          const targetDeg = params[`${channel}_deg`];
          if (typeof targetDeg !== "number") continue;
          Object.assign(joint, { fromDeg: joint.deg, targetDeg, passedS: 0, overS });
          asked.push(joint);
        }
        return { ok: true, isThere: () => asked.every(({ deg, targetDeg }) => Math.abs(deg - targetDeg) < THERE_DEG) };
      },
      watchdog: stop,
    };
  },
};
