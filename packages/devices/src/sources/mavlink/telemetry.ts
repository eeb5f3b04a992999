import type { JsonData, JsonObject } from "@backplane/contract/panels";
import { type Autopilot, autopilotOf } from "./autopilot.ts";
import { type MavMessage, numberIn } from "./codec.ts";

const ARMED = 0x80;
const M_PER_DEGREE = 111_319.5;
/** MAV_SYS_STATUS_SENSOR, as people call them. */
const CHECKS: readonly (readonly [bit: number, name: string])[] = [
  ...([
    [0x01, "Gyroscope"],
    [0x02, "Accelerometer"],
    [0x04, "Compass"],
    [0x08, "Barometer"],
    [0x20, "GPS"],
  ] as const),
  ...([
    [0x8000, "Motors"],
    [0x1_0000, "Remote control"],
    [0x20_0000, "Attitude estimate"],
  ] as const),
  ...([
    [0x10_0000, "Fence"],
    [0x0100_0000, "Logging"],
    [0x0200_0000, "Battery"],
  ] as const),
];
/** MAV_SYS_STATUS_PREARM_CHECK */
const PREARM = 0x1000_0000;
const has = (bits: number, bit: number): boolean => Math.floor(bits / bit) % 2 === 1;
/** Of uint16 and int16 fields: it is not known. */
const UNKNOWN = 0xffff;
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
const degrees = (radians: number): number => rounded((radians * 180) / Math.PI, 1);

type Place = { lat: number; lon: number };

/** What a drone has said of itself, as fields of a sample. */
export class Telemetry {
  autopilot: Autopilot | undefined;
  customMode = 0;
  isArmed = false;
  isFlying = false;
  at: Place | undefined;
  home: Place | undefined;
  altM = Number.NaN;
  heightM = Number.NaN;
  yaw = 0;
  velocity = { n: 0, e: 0, u: 0 };
  linkMs: number | undefined;
  readonly #fields: Record<string, JsonData> = {};
  #airFromMs: number | undefined;
  #hasLandedState = false;

  get isLanding(): boolean {
    return this.autopilot?.isLanding(this.customMode) === true;
  }

  get isHolding(): boolean {
    return this.autopilot?.modeOf(this.customMode) === "Hold";
  }

  get isGuided(): boolean {
    return this.autopilot?.isGuided(this.customMode) === true;
  }

  take(message: MavMessage, nowMs: number): void {
    const of = (name: string) => numberIn(message, name);
    switch (message.name) {
      case "HEARTBEAT":
        this.autopilot = autopilotOf(of("autopilot"));
        this.customMode = of("custom_mode");
        this.isArmed = has(of("base_mode"), ARMED);
        if (!this.#hasLandedState) this.#setFlying(this.isArmed && this.heightM > 0.5, nowMs);
        break;
      case "EXTENDED_SYS_STATE":
        this.#hasLandedState = of("landed_state") !== 0;
        if (this.#hasLandedState) this.#setFlying(of("landed_state") !== 1, nowMs);
        break;
      case "ATTITUDE":
        this.yaw = of("yaw");
        this.#set({
          roll_deg: degrees(of("roll")),
          pitch_deg: degrees(of("pitch")),
          yaw_deg: (degrees(this.yaw) + 360) % 360,
        });
        break;
      case "GLOBAL_POSITION_INT":
        this.#takePosition(of);
        break;
      case "HOME_POSITION":
        this.home = { lat: of("latitude") / 1e7, lon: of("longitude") / 1e7 };
        break;
      case "GPS_RAW_INT":
        this.#set({
          satellites: of("satellites_visible") === 0xff ? Number.NaN : of("satellites_visible"),
          accuracy_m: of("h_acc") > 0 ? rounded(of("h_acc") / 1_000, 1) : Number.NaN,
        });
        break;
      case "SYS_STATUS":
        this.#takeStatus(of);
        break;
      case "BATTERY_STATUS":
        if (of("time_remaining") > 0) this.#set({ battery_left_s: of("time_remaining") });
        break;
    }
  }

  sample(nowMs: number): JsonObject {
    const north = this.at && this.home && (this.at.lat - this.home.lat) * M_PER_DEGREE;
    const east = this.at && this.home && (this.at.lon - this.home.lon) * M_PER_DEGREE * cosOf(this.home.lat);
    return {
      ...{ armed: this.isArmed, flying: this.isFlying, mode: this.#mode(), ...this.#fields },
      ...(north === undefined || east === undefined ? {} : { north_m: rounded(north, 2), east_m: rounded(east, 2) }),
      ...(this.#airFromMs === undefined ? {} : { air_s: rounded((nowMs - this.#airFromMs) / 1_000, 1) }),
      ...(this.linkMs === undefined ? {} : { link_ms: rounded(this.linkMs, 1) }),
    };
  }

  /** Metres from home as a place on the globe. */
  placeOf(northM: number, eastM: number): Place | undefined {
    if (!this.home) return undefined;
    const { lat, lon } = this.home;
    return { lat: lat + northM / M_PER_DEGREE, lon: lon + eastM / (M_PER_DEGREE * cosOf(lat)) };
  }

  #mode(): string {
    return this.isArmed || !this.autopilot ? (this.autopilot?.modeOf(this.customMode) ?? "Not known") : "Standby";
  }

  #takePosition(of: (name: string) => number): void {
    this.at = { lat: of("lat") / 1e7, lon: of("lon") / 1e7 };
    this.altM = of("alt") / 1_000;
    this.heightM = of("relative_alt") / 1_000;
    this.velocity = { n: of("vx") / 100, e: of("vy") / 100, u: -of("vz") / 100 };
    // Where it stood when nothing was known of its home.
    if (!this.isArmed && (this.at.lat !== 0 || this.at.lon !== 0)) this.home ??= this.at;
    this.#set({
      ...{
        lat_deg: this.at.lat,
        lon_deg: this.at.lon,
        alt_m: rounded(this.altM, 2),
        height_m: rounded(this.heightM, 2),
      },
      ...{ north_m_s: this.velocity.n, east_m_s: this.velocity.e, up_m_s: this.velocity.u + 0 },
    });
  }

  #takeStatus(of: (name: string) => number): void {
    const [present, health] = [of("onboard_control_sensors_enabled"), of("onboard_control_sensors_health")];
    const checks = CHECKS.filter(([bit]) => has(present, bit)).map(([bit, name]) => ({ name, ok: has(health, bit) }));
    if (has(present, PREARM)) checks.push({ name: "Ready to arm", ok: has(health, PREARM) });
    this.#fields.checks = checks;
    this.#set({
      battery_v: of("voltage_battery") === UNKNOWN ? Number.NaN : rounded(of("voltage_battery") / 1_000, 2),
      battery_a: of("current_battery") < 0 ? Number.NaN : rounded(of("current_battery") / 100, 2),
      battery_pct: of("battery_remaining") < 0 ? Number.NaN : of("battery_remaining"),
    });
  }

  #setFlying(isFlying: boolean, nowMs: number): void {
    if (isFlying && !this.isFlying) this.#airFromMs = nowMs;
    this.isFlying = isFlying;
  }

  /** What is not known is left out. */
  #set(values: Record<string, number>): void {
    for (const [name, value] of Object.entries(values))
      if (Number.isFinite(value)) this.#fields[name] = value;
      else delete this.#fields[name];
  }
}

const cosOf = (lat: number): number => Math.cos((lat * Math.PI) / 180);
