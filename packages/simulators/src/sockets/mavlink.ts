import type { JsonObject } from "@backplane/contract/panels";
import { type MavMessage, type MessageName, mavlinkMessages, numberIn } from "@backplane/devices/codecs";
import { type Copter, type DroneMode, drone, HOME } from "../kinds/drone.ts";
import type { CommandAnswer } from "../simulator.ts";
import type { SocketBody, SocketDevice, SocketKind } from "./socket-kind.ts";

/** Numbers of MAVLink's common set and of ArduPilot's copter. */
const RESULT = { accepted: 0, denied: 2, unsupported: 3, failed: 4 } as const;
const COMMAND = { return: 20, land: 21, takeoff: 22, mode: 176, reposition: 192, arm: 400, interval: 511 } as const;
const MODES: Readonly<Record<DroneMode, number>> = {
  ...{ standby: 0, takeoff: 4, goto: 4, steer: 4, hold: 17, return: 6, land: 9 },
};
const [COPTER, ARDUPILOT] = [2, 3];
const [CUSTOM_MODE, ARMED] = [0x51, 0x80];
const LEVELS: Readonly<Record<string, number>> = { error: 3, warn: 4, info: 6 };
const CHECK_BITS: Readonly<Record<string, number>> = {
  GPS: 0x20,
  Battery: 0x0200_0000,
  Compass: 0x04,
  Gyroscope: 0x01,
};
const PREARM = 0x1000_0000;
const GROUND_STATION = 6;
/** A ground station that is silent for this long is lost; a setpoint that is not told again ends sooner. */
const LOST_S = 3;
const UNFED_S = 1;
const TELEMETRY_S = 0.1;

/** The simulated copter as ArduPilot flies it, by MAVLink 2 over UDP and TCP. */
export const mavlinkSimulator: SocketKind = {
  kind: "mavlink",
  name: "MAVLink drone",
  description: "The same copter with ArduPilot's modes, by MAVLink 2 over UDP",
  port: 14_555,
  isUdp: true,
  settings: { localPort: 0 },
  simulates: drone,
  create: (body) => new FlightController(body),
};

class FlightController implements SocketDevice {
  readonly #body: SocketBody;
  readonly #copter: Copter;
  #reply: (bytes: Uint8Array) => void = () => {};
  #sequence = 0;
  #silentS = 0;
  #unfedS = Number.POSITIVE_INFINITY;
  #sinceS = 0;
  #count = 0;

  constructor(body: SocketBody) {
    this.#body = body;
    this.#copter = body.physics as Copter;
  }

  connect(reply: (bytes: Uint8Array) => void): (bytes: Buffer) => void {
    const reader = mavlinkMessages.createReader();
    this.#reply = reply;
    return (bytes) => {
      for (const message of reader.take(bytes)) this.#obey(message);
    };
  }

  tick(seconds: number): void {
    this.#silentS += seconds;
    this.#unfedS += seconds;
    this.#sinceS += seconds;
    if (this.#unfedS > UNFED_S && this.#copter.mode === "steer") {
      this.#copter.watchdog();
      this.#body.note({ what: "watchdog", name: "hold", params: {} });
    }
    if (this.#silentS > LOST_S) this.#copter.tell("link", false);
    for (const { level, text } of this.#copter.lines()) this.#say(LEVELS[level] ?? 6, text);
    if (this.#sinceS < TELEMETRY_S) return;
    this.#sinceS = 0;
    this.#count += 1;
    this.#measure();
    if (this.#count % 5 === 0) this.#sendSlow();
  }

  #send(name: MessageName, fields: MavMessage["fields"]): void {
    this.#sequence = (this.#sequence + 1) & 0xff;
    this.#reply(mavlinkMessages.write({ name, system: 1, component: 1, sequence: this.#sequence, fields }));
  }

  #say(severity: number, text: string): void {
    this.#send("STATUSTEXT", { severity, text });
  }

  #measure(): void {
    const { at, velocity, yaw } = this.#copter;
    const now = this.#copter.read();
    const radians = (degrees: unknown) => (Number(degrees) * Math.PI) / 180;
    this.#send("ATTITUDE", { roll: radians(now.roll_deg), pitch: radians(now.pitch_deg), yaw });
    this.#send("GLOBAL_POSITION_INT", {
      ...{ lat: Number(now.lat_deg) * 1e7, lon: Number(now.lon_deg) * 1e7, alt: Number(now.alt_m) * 1_000 },
      relative_alt: at.u * 1_000,
      ...{ vx: velocity.n * 100, vy: velocity.e * 100, vz: -velocity.u * 100, hdg: Number(now.yaw_deg) * 100 },
    });
  }

  #sendSlow(): void {
    const copter = this.#copter;
    const now = copter.read();
    const base = CUSTOM_MODE | (copter.isArmed ? ARMED : 0);
    this.#send("HEARTBEAT", {
      ...{ custom_mode: MODES[copter.mode], type: COPTER, autopilot: ARDUPILOT, base_mode: base },
      ...{ system_status: copter.isFlying ? 4 : 3, mavlink_version: 3 },
    });
    this.#send("EXTENDED_SYS_STATE", { landed_state: copter.isFlying ? (copter.mode === "land" ? 4 : 2) : 1 });
    const checks = copter.checks();
    const bits = (all: typeof checks) => all.reduce((sum, { name }) => sum + (CHECK_BITS[name] ?? 0), 0);
    const present = bits(checks) + PREARM;
    const isReady = checks.every(({ ok }) => ok);
    this.#send("SYS_STATUS", {
      ...{ onboard_control_sensors_present: present, onboard_control_sensors_enabled: present },
      onboard_control_sensors_health: bits(checks.filter(({ ok }) => ok)) + (isReady ? PREARM : 0),
      ...{ voltage_battery: copter.volts * 1_000, current_battery: Number(now.battery_a) * 100 },
      battery_remaining: Number(now.battery_pct),
    });
    this.#send("GPS_RAW_INT", {
      ...{ fix_type: copter.satellites >= 4 ? 3 : 1, satellites_visible: copter.satellites },
      h_acc: Number(now.accuracy_m) * 1_000,
    });
    this.#send("HOME_POSITION", { latitude: HOME.lat * 1e7, longitude: HOME.lon * 1e7, altitude: HOME.alt * 1_000 });
  }

  #obey(message: MavMessage): void {
    const of = (name: string) => numberIn(message, name);
    if (message.name === "HEARTBEAT" && of("type") === GROUND_STATION) this.#silentS = 0;
    else if (message.name === "TIMESYNC" && of("tc1") === 0)
      this.#send("TIMESYNC", { tc1: performance.now() * 1e6, ts1: of("ts1") });
    else if (message.name === "PARAM_REQUEST_READ" && message.fields.param_id === "FS_GCS_ENABLE")
      this.#send("PARAM_VALUE", { param_value: 5, param_count: 1, param_id: "FS_GCS_ENABLE", param_type: 2 });
    else if (message.name === "SET_POSITION_TARGET_LOCAL_NED") this.#steer(of);
    else if (message.name === "COMMAND_LONG" || message.name === "COMMAND_INT") {
      const result = this.#carryOut(of);
      this.#send("COMMAND_ACK", { command: of("command"), result, target_system: message.system });
    }
  }

  #steer(of: (name: string) => number): void {
    const { yaw } = this.#copter;
    const [n, e] = [of("vx"), of("vy")];
    this.#unfedS = 0;
    if (this.#copter.mode === "land" || this.#copter.mode === "return") return;
    this.#tell("velocity", {
      forward_m_s: n * Math.cos(yaw) + e * Math.sin(yaw),
      right_m_s: -n * Math.sin(yaw) + e * Math.cos(yaw),
      ...{ up_m_s: -of("vz"), turn_deg_s: (of("yaw_rate") * 180) / Math.PI },
    });
  }

  /** The number of the result. */
  #carryOut(of: (name: string) => number): number {
    switch (of("command")) {
      case COMMAND.arm:
        return this.#tell(of("param1") === 1 ? "arm" : "disarm", {});
      case COMMAND.takeoff:
        return this.#tell("takeoff", { height_m: of("param7") });
      case COMMAND.land:
        return this.#tell("land", {});
      case COMMAND.return:
        return this.#tell("return", {});
      case COMMAND.mode:
        return of("param2") === MODES.hold ? this.#tell("hold", {}) : RESULT.accepted;
      case COMMAND.reposition:
        return this.#tell("goto", {
          north_m: (of("x") / 1e7 - HOME.lat) * 111_319.5,
          east_m: (of("y") / 1e7 - HOME.lon) * 111_319.5 * Math.cos((HOME.lat * Math.PI) / 180),
          height_m: of("z"),
        });
      case COMMAND.interval:
        return RESULT.accepted;
      default:
        return RESULT.unsupported;
    }
  }

  #tell(name: string, params: JsonObject): number {
    this.#body.note({ what: "command", name, params });
    const answer: CommandAnswer = this.#body.isLying() ? { ok: true } : this.#copter.command("drone", name, params);
    if (answer.ok) return RESULT.accepted;
    if (name !== "velocity") this.#say(LEVELS.warn ?? 4, (answer.detail ?? "").slice(0, 50));
    return RESULT.failed;
  }
}
