import type { JsonObject } from "@backplane/contract/panels";
import {
  type CommandAnswer,
  noise,
  type Physics,
  type Random,
  rounded,
  type SimulatedKind,
  type SimulatedLine,
} from "../simulator.ts";

const STEP_S = 0.02;
const G = 9.81;
/** How fast it follows what it is told, and what it can do at most. */
const FOLLOW_S = 0.45;
const MAX_ACCEL = 4;
const MAX_SPEED = 4;
/** How much the wind takes it along. */
const DRAG = 0.25;
/** So long it hovers with a full battery. */
const HOVER_S = 900;
const LOW = { start: 0.2, land: 0.12 };
const MIN_SATELLITES = 6;
const RETURN_HEIGHT_M = 5;
/** Motors that nobody uses are switched off. */
const IDLE_S = 15;
const FENCE_M = 40;
const MAX_HEIGHT_M = 20;
/** Corners of areas over which it does not fly, in metres north and east of home. */
type Area = readonly (readonly [north: number, east: number])[];
const KEEP_OUT: readonly Area[] = [
  [
    [22, -14],
    [25, -4],
    [15, -1],
    [12, -11],
  ],
];
/** It brakes this far before such an area. */
const BRAKES_BEFORE_M = 3;
const SAID_EVERY_S = 2;

const isIn = (corners: Area, north: number, east: number): boolean =>
  corners.filter(([n, e], i) => {
    const [beforeN, beforeE] = corners.at(i - 1) as Area[number];
    return n > north !== beforeN > north && east < e + ((north - n) / (beforeN - n)) * (beforeE - e);
  }).length %
    2 ===
  1;
/** Whether the straight way leads over such an area. */
const leadsOver = (from: Pick<Vector, "n" | "e">, to: Pick<Vector, "n" | "e">): boolean => {
  const steps = Math.max(1, Math.ceil(Math.hypot(to.n - from.n, to.e - from.e)));
  return Array.from({ length: steps }, (_, i) => (i + 1) / steps).some((share) =>
    KEEP_OUT.some((area) => isIn(area, from.n + share * (to.n - from.n), from.e + share * (to.e - from.e))),
  );
};
export const HOME = { lat: 47.397_742, lon: 8.545_594, alt: 488 };
const M_PER_DEGREE = 111_319.5;

export type DroneMode = "standby" | "hold" | "takeoff" | "goto" | "steer" | "return" | "land";
const WORDS: Readonly<Record<DroneMode, string>> = {
  ...{ standby: "Standby", hold: "Hold", takeoff: "Take off", goto: "Fly to", steer: "Steer" },
  ...{ return: "Return", land: "Land" },
};

const speed = { type: "number", minimum: -MAX_SPEED, maximum: MAX_SPEED };
const height = { type: "number", minimum: 1, maximum: MAX_HEIGHT_M };
const metres = { type: "number", minimum: -FENCE_M, maximum: FENCE_M };

type Vector = { n: number; e: number; u: number };
const lengthOf = ({ n, e, u }: Vector): number => Math.hypot(n, e, u);
const within = (v: Vector, most: number): Vector => {
  const factor = Math.min(1, most / Math.max(1e-9, lengthOf(v)));
  return { n: v.n * factor, e: v.e * factor, u: v.u * factor };
};
const denied = (detail: string): CommandAnswer => ({ ok: false, code: "denied", detail });

/** A copter, as those who fly it and those who speak for it see it. */
export class Copter implements Physics {
  readonly #random: Random;
  mode: DroneMode = "standby";
  isArmed = false;
  at: Vector = { n: 0, e: 0, u: 0 };
  velocity: Vector = { n: 0, e: 0, u: 0 };
  yaw = (62 * Math.PI) / 180;
  accel: Vector = { n: 0, e: 0, u: 0 };
  charge = 1;
  satellites = 17;
  airS = 0;
  #windMS = 2;
  #gust: Vector = { n: 0, e: 0, u: 0 };
  #target: Vector = { n: 0, e: 0, u: 0 };
  #steer = { forward: 0, right: 0, up: 0, turn: 0 };
  #idleS = 0;
  #clockS = 0;
  #saidUntilS = 0;
  #lines: SimulatedLine[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  get isFlying(): boolean {
    return this.at.u > 0.1;
  }

  get volts(): number {
    return 13.6 + 3 * this.charge - (this.isArmed ? 0.4 : 0);
  }

  step(seconds: number): void {
    for (let left = seconds; left > 1e-9; left -= STEP_S) this.#step(Math.min(STEP_S, left));
  }

  #step(s: number): void {
    this.#clockS += s;
    if (!this.isArmed) return;
    const sway = noise(this.#random, 1);
    this.#gust.n += ((this.#windMS * (0.8 + 0.3 * sway) - this.#gust.n) * s) / 2;
    this.#gust.e += ((this.#windMS * 0.4 * sway - this.#gust.e) * s) / 2;
    this.charge = Math.max(
      0,
      this.charge - (s / HOVER_S) * (this.isFlying ? 1 + 0.03 * lengthOf(this.velocity) ** 2 : 0.2),
    );
    this.#watch(s);
    const wanted = this.#wanted();
    const { n, e, u } = this.velocity;
    const push = this.isFlying ? DRAG : 0;
    const follow = within(
      { n: (wanted.n - n) / FOLLOW_S, e: (wanted.e - e) / FOLLOW_S, u: (wanted.u - u) / FOLLOW_S },
      MAX_ACCEL,
    );
    this.accel = { n: follow.n + push * (this.#gust.n - n), e: follow.e + push * (this.#gust.e - e), u: follow.u };
    this.velocity = { n: n + this.accel.n * s, e: e + this.accel.e * s, u: u + this.accel.u * s };
    this.at = {
      n: this.at.n + this.velocity.n * s,
      e: this.at.e + this.velocity.e * s,
      u: Math.max(0, this.at.u + this.velocity.u * s),
    };
    if (!this.isFlying && wanted.u <= 0) this.velocity = { n: 0, e: 0, u: Math.max(0, this.velocity.u) };
  }

  /** What it does by itself. */
  #watch(s: number): void {
    if (this.isFlying) this.airS += s;
    this.#idleS = this.isFlying || this.mode === "takeoff" ? 0 : this.#idleS + s;
    if (this.mode === "land" && this.at.u <= 0.02) this.#switchOff("Landed");
    else if (this.#idleS > IDLE_S) this.#switchOff("Motors off: nobody took off");
    if (this.mode === "takeoff" && this.#isNear(0.2)) this.mode = "hold";
    if (this.mode === "return" && Math.hypot(this.at.n, this.at.e) < 0.7) this.#hold("land");
    if (this.isFlying && this.charge < LOW.land && this.mode !== "land") this.#failSafe("Battery fail-safe: it lands");
  }

  /** Steered towards an area to keep out of, it stops before it. */
  #keptOut(wanted: Vector): Vector {
    const speedMS = Math.hypot(wanted.n, wanted.e);
    if (speedMS < 0.05) return wanted;
    const share = (BRAKES_BEFORE_M + lengthOf(this.velocity)) / speedMS;
    const ahead = { n: this.at.n + wanted.n * share, e: this.at.e + wanted.e * share };
    if (!leadsOver(this.at, ahead)) return wanted;
    if (this.#clockS >= this.#saidUntilS)
      this.#lines.push({ level: "warn", source: "drone", text: "Stopped before an area to keep out of" });
    this.#saidUntilS = this.#clockS + SAID_EVERY_S;
    return { n: 0, e: 0, u: wanted.u };
  }

  #failSafe(text: string): void {
    this.#hold("land");
    this.#lines.push({ level: "error", source: "drone", text });
  }

  #switchOff(text: string): void {
    Object.assign(this, {
      isArmed: false,
      mode: "standby",
      velocity: { n: 0, e: 0, u: 0 },
      accel: { n: 0, e: 0, u: 0 },
    });
    this.at.u = 0;
    this.#idleS = 0;
    this.#lines.push({ level: "info", source: "drone", text });
  }

  /** The velocity that its mode asks for. */
  #wanted(): Vector {
    const to = (target: Vector, most: number) =>
      within({ n: target.n - this.at.n, e: target.e - this.at.e, u: target.u - this.at.u }, most);
    const { forward, right, up, turn } = this.#steer;
    switch (this.mode) {
      case "standby":
        return { n: 0, e: 0, u: 0 };
      case "steer":
        this.yaw += turn * STEP_S;
        return this.#keptOut({
          n: forward * Math.cos(this.yaw) - right * Math.sin(this.yaw),
          e: forward * Math.sin(this.yaw) + right * Math.cos(this.yaw),
          u: up,
        });
      case "land":
        return { ...to({ ...this.#target, u: this.at.u }, 1), u: this.at.u > 3 ? -1.5 : -0.6 };
      case "return": {
        const isAway = Math.hypot(this.at.n, this.at.e) > 0.5;
        return to({ n: 0, e: 0, u: isAway ? Math.max(RETURN_HEIGHT_M, this.at.u) : this.at.u }, MAX_SPEED);
      }
      default:
        return to(this.#target, this.mode === "takeoff" ? 1.5 : MAX_SPEED);
    }
  }

  #isNear(m: number): boolean {
    const { n, e, u } = this.#target;
    return Math.hypot(n - this.at.n, e - this.at.e, u - this.at.u) < m;
  }

  /** Where it comes to rest when it brakes. */
  #hold(mode: DroneMode): void {
    const { n, e, u } = this.velocity;
    this.mode = mode;
    this.#target = { n: this.at.n + n * 0.5, e: this.at.e + e * 0.5, u: Math.max(0.3, this.at.u + u * 0.5) };
  }

  checks(): { name: string; ok: boolean; detail: string }[] {
    return [
      {
        name: "GPS",
        ok: this.satellites >= MIN_SATELLITES,
        detail: `${this.satellites} satellites, ${MIN_SATELLITES} are needed`,
      },
      {
        name: "Battery",
        ok: this.charge >= LOW.start,
        detail: `${Math.round(100 * this.charge)} %, ${100 * LOW.start} % are needed`,
      },
      { name: "Compass", ok: true, detail: "" },
      { name: "Gyroscope", ok: true, detail: "" },
    ];
  }

  command(_node: string, name: string, params: JsonObject): CommandAnswer {
    if (name === "arm") return this.#arm();
    if (name === "stop") return this.#stop();
    if (name === "disarm") return this.#disarm();
    if (name === "land") return this.#land();
    if (name === "takeoff") return this.#takeOff(Number(params.height_m));
    if (!this.isFlying) return denied("It is on the ground. Take off first.");
    if (name === "velocity") return this.steer(params);
    if (name === "hold") {
      this.#hold("hold");
      return { ok: true, isThere: () => (this.mode === "hold" ? lengthOf(this.velocity) < 0.5 : OTHER) };
    }
    if (name === "return") {
      this.mode = "return";
      return {
        ok: true,
        isThere: () => !this.isArmed || (this.mode !== "return" && this.mode !== "land" ? OTHER : false),
      };
    }
    return this.flyTo({ n: Number(params.north_m), e: Number(params.east_m), u: Number(params.height_m) });
  }

  #arm(): CommandAnswer {
    const failed = this.checks().find(({ ok }) => !ok);
    if (failed) return denied(`Pre-arm check failed: ${failed.name}: ${failed.detail}.`);
    if (!this.isArmed) Object.assign(this, { isArmed: true, mode: "hold", airS: 0 });
    this.#target = { ...this.at };
    return { ok: true };
  }

  #disarm(): CommandAnswer {
    if (this.isFlying) return denied("It is in the air. Land first.");
    if (this.isArmed) this.#switchOff("Motors off");
    return { ok: true };
  }

  #takeOff(toM: number): CommandAnswer {
    if (!this.isArmed) return denied("The motors are off. Start the motors first.");
    if (this.isFlying) return denied("It is in the air already.");
    this.mode = "takeoff";
    this.#target = { ...this.at, u: toM };
    return {
      ok: true,
      isThere: () => {
        if (Math.abs(this.at.u - toM) < 0.3) return true;
        return this.mode === "takeoff" ? false : OTHER;
      },
    };
  }

  #land(): CommandAnswer {
    if (!this.isFlying) return this.#disarm();
    if (this.mode !== "land") this.#hold("land");
    return { ok: true, isThere: () => !this.isArmed || (this.mode === "land" ? false : OTHER) };
  }

  /** It brakes and hovers; a landing goes on. On the ground the motors are switched off. */
  #stop(): CommandAnswer {
    if (!this.isFlying) return this.#disarm();
    if (this.mode !== "land") this.#hold("hold");
    return { ok: true };
  }

  steer({ forward_m_s, right_m_s, up_m_s, turn_deg_s }: JsonObject): CommandAnswer {
    const of = (value: unknown) => (typeof value === "number" ? value : 0);
    this.mode = "steer";
    this.#steer = {
      forward: of(forward_m_s),
      right: of(right_m_s),
      up: of(up_m_s),
      turn: (of(turn_deg_s) * Math.PI) / 180,
    };
    return { ok: true };
  }

  flyTo(target: Vector): CommandAnswer {
    if (leadsOver(this.at, target)) return denied("The way leads over an area to keep out of.");
    this.mode = "goto";
    this.#target = target;
    return { ok: true, isThere: () => (this.mode === "goto" ? this.#isNear(1) : OTHER) };
  }

  watchdog(): void {
    if (this.mode === "steer") this.#hold("hold");
  }

  lines(): SimulatedLine[] {
    return this.#lines.splice(0);
  }

  tell(what: string, value: unknown): void {
    if (what === "link" && value === false && this.isFlying && this.mode !== "land")
      this.#failSafe("Ground station lost: it lands");
    if (typeof value !== "number") return;
    if (what === "wind_m_s") this.#windMS = value;
    if (what === "battery_pct") this.charge = value / 100;
    if (what === "satellites") this.satellites = value;
  }

  read(): JsonObject {
    const { n, e, u } = this.at;
    const north = n + noise(this.#random, 0.05);
    const east = e + noise(this.#random, 0.05);
    const heading = { cos: Math.cos(this.yaw), sin: Math.sin(this.yaw) };
    const ahead = this.accel.n * heading.cos + this.accel.e * heading.sin;
    const aside = -this.accel.n * heading.sin + this.accel.e * heading.cos;
    const degrees = (radians: number) => rounded((radians * 180) / Math.PI, 1);
    return {
      ...{ armed: this.isArmed, flying: this.isFlying, mode: WORDS[this.mode] },
      ...{
        lat_deg: rounded(HOME.lat + north / M_PER_DEGREE, 7),
        lon_deg: rounded(HOME.lon + east / (M_PER_DEGREE * Math.cos((HOME.lat * Math.PI) / 180)), 7),
      },
      ...{
        alt_m: rounded(HOME.alt + u, 2),
        height_m: rounded(u, 2),
        north_m: rounded(north, 2),
        east_m: rounded(east, 2),
      },
      roll_deg: degrees(Math.atan2(aside, G)),
      pitch_deg: degrees(Math.atan2(-ahead, G)),
      yaw_deg: rounded(((((this.yaw * 180) / Math.PI) % 360) + 360) % 360, 1),
      ...{
        north_m_s: rounded(this.velocity.n, 2),
        east_m_s: rounded(this.velocity.e, 2),
        up_m_s: rounded(this.velocity.u, 2),
      },
      battery_pct: Math.round(100 * this.charge),
      battery_v: rounded(this.volts, 2),
      battery_a: this.isArmed ? rounded(this.isFlying ? 14 : 2, 1) : 0,
      satellites: this.satellites,
      accuracy_m: rounded(0.6 + 4 / Math.max(1, this.satellites), 1),
      air_s: rounded(this.airS, 1),
      fence_m: FENCE_M,
      keep_out: KEEP_OUT.map((area) => area.map((corner) => [...corner])),
      checks: this.checks(),
    };
  }
}

const OTHER = "Something else was told, or happened, before it was there.";

/** The Homie device also says how long the way to it is. */
export const drone: SimulatedKind & { create(random: Random): Copter } = {
  kind: "drone",
  name: "Drone",
  model: "copter with four rotors",
  description: "A copter in the wind that refuses what is not safe, and lands when its battery is low",
  nodes: {
    drone: {
      ...{ name: "Drone", kind: "drone", rateHz: 10 },
      fields: {
        ...{ armed: { type: "boolean" }, flying: { type: "boolean" }, mode: { type: "string" } },
        ...{ lat_deg: { unit: "°" }, lon_deg: { unit: "°" }, alt_m: { unit: "m" }, height_m: { unit: "m" } },
        ...{ north_m: { unit: "m" }, east_m: { unit: "m" }, fence_m: { unit: "m" }, accuracy_m: { unit: "m" } },
        ...{ roll_deg: { unit: "°" }, pitch_deg: { unit: "°" }, yaw_deg: { unit: "°" } },
        ...{ north_m_s: { unit: "m/s" }, east_m_s: { unit: "m/s" }, up_m_s: { unit: "m/s" } },
        ...{ battery_pct: { unit: "%", min: 0, max: 100 }, battery_v: { unit: "V" }, battery_a: { unit: "A" } },
        ...{ satellites: { type: "integer" }, air_s: { unit: "s" }, checks: { type: "array" } },
        keep_out: { type: "array" },
      },
      commands: {
        ...{
          arm: { effect: "powers" },
          disarm: { effect: "powers" },
          takeoff: { effect: "powers", params: { height_m: height } },
        },
        goto: { effect: "powers", params: { north_m: metres, east_m: metres, height_m: height } },
        ...{ return: { effect: "powers" }, hold: { effect: "powers" } },
        velocity: {
          effect: "moves",
          params: {
            ...{ forward_m_s: speed, right_m_s: speed, up_m_s: { type: "number", minimum: -2, maximum: 2 } },
            turn_deg_s: { type: "number", minimum: -90, maximum: 90 },
          },
          required: [],
        },
        ...{ stop: { effect: "none" }, land: { effect: "none" } },
      },
    },
  },
  create: (random) => new Copter(random),
};
