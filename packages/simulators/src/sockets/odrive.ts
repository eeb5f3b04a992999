import { type ODriveRequest, odriveAnswers, odriveRequests } from "@backplane/devices/codecs";
import { motor } from "../kinds/motor.ts";
import type { SocketBody, SocketDevice, SocketKind } from "./socket-kind.ts";

const RAD_PER_TURN = 2 * Math.PI;
const IDLE = 1;
const CLOSED_LOOP = 8;
const WATCHDOG_EXPIRED = 0x800;
const MODES: Readonly<Record<number, { name: string; param: string; input: string; perUnit: number }>> = {
  1: { name: "torque", param: "torque_nm", input: "controller.input_torque", perUnit: 1 },
  2: { name: "velocity", param: "velocity_rad_s", input: "controller.input_vel", perUnit: RAD_PER_TURN },
  3: { name: "position", param: "position_rad", input: "controller.input_pos", perUnit: RAD_PER_TURN },
};
const MODE_OF = { c: 1, v: 2, p: 3, q: 3, t: 3 } as const;

/** What can be read and not written, by what the physics measures. */
const MEASURED: Readonly<Record<string, string>> = {
  vbus_voltage: "bus_voltage_v",
  "axis0.motor.current_control.Iq_measured": "current_a",
  "axis0.motor.motor_thermistor.temperature": "motor_c",
  "axis0.motor.fet_thermistor.temperature": "driver_c",
};

/** The simulated motor behind an ODrive with firmware 0.5.6. */
export const odriveSimulator: SocketKind = {
  kind: "odrive",
  name: "ODrive",
  description: "The same motor behind an ODrive, by its ASCII protocol over TCP",
  port: 8_888,
  simulates: motor,
  create: (body) => new ODrive(body),
};

class ODrive implements SocketDevice {
  readonly #body: SocketBody;
  #unfedS = 0;
  readonly #properties = new Map<string, number>([
    ...[["fw_version_major", 0] as const, ["fw_version_minor", 5] as const, ["fw_version_revision", 6] as const],
    ...[["hw_version_major", 3] as const, ["hw_version_minor", 6] as const],
    ...Object.entries({
      ...{ current_state: IDLE, requested_state: 0, error: 0 },
      ...{ "controller.config.control_mode": 3, "controller.config.input_mode": 1 },
      ...{ "controller.config.vel_limit": 30, "motor.config.torque_constant": 0.05, "motor.config.current_lim": 10 },
      ...{ "controller.input_pos": 0, "controller.input_vel": 0, "controller.input_torque": 0 },
      ...{ "config.enable_watchdog": 0, "config.watchdog_timeout": 0 },
    }).map(([name, value]) => [`axis0.${name}`, value] as const),
  ]);

  constructor(body: SocketBody) {
    this.#body = body;
  }

  connect(reply: (bytes: Uint8Array) => void): (bytes: Buffer) => void {
    const reader = odriveRequests.createReader();
    return (bytes) => {
      for (const request of reader.take(bytes)) {
        const text = this.#obey(request);
        if (text !== undefined) reply(odriveAnswers.write({ text, ...(request.isChecked ? { isChecked: true } : {}) }));
      }
    };
  }

  tick(seconds: number): void {
    this.#unfedS += seconds;
    const isMoving = this.#of("current_state") === CLOSED_LOOP;
    if (!isMoving || this.#of("config.enable_watchdog") === 0 || this.#unfedS < this.#of("config.watchdog_timeout"))
      return;
    this.#set("error", WATCHDOG_EXPIRED);
    this.#enter(IDLE);
    this.#body.note({ what: "watchdog", name: "idle", params: {} });
  }

  #obey(request: ODriveRequest): string | undefined {
    if (request.command === "r") return this.#read(request.property);
    if (request.command === "w") return this.#write(request.property, Number(request.value));
    if (!("axis" in request)) {
      if (request.command === "sc") this.#set("error", 0);
      return undefined;
    }
    if (request.axis !== 0) return `invalid motor ${request.axis}`;
    if (request.command === "f") {
      const { position_rad, velocity_rad_s } = this.#body.physics.read("motor");
      return [position_rad, velocity_rad_s].map((rad) => (Number(rad) / RAD_PER_TURN).toFixed(6)).join(" ");
    }
    this.#unfedS = 0;
    if (request.command === "u") return undefined;
    const mode = MODE_OF[request.command];
    this.#set("controller.config.control_mode", mode);
    this.#set(MODES[mode]?.input ?? "", request.values[0] ?? 0);
    this.#drive();
    return undefined;
  }

  #read(property: string): string {
    const field = Object.hasOwn(MEASURED, property) ? MEASURED[property] : undefined;
    if (field !== undefined) return Number(this.#body.physics.read("motor")[field]).toFixed(6);
    const value = this.#properties.get(property);
    if (value === undefined) return "invalid property";
    return Number.isInteger(value) ? String(value) : value.toFixed(6);
  }

  #write(property: string, value: number): string | undefined {
    if (!this.#properties.has(property)) return "invalid property";
    if (!Number.isFinite(value)) return "invalid value";
    this.#properties.set(property, value);
    if (property === "axis0.config.enable_watchdog") this.#unfedS = 0;
    if (property === "axis0.requested_state") this.#enter(value);
    return undefined;
  }

  #enter(state: number): void {
    if (state === CLOSED_LOOP && this.#of("error") !== 0) return;
    if (state !== IDLE && state !== CLOSED_LOOP) return;
    this.#set("current_state", state);
    if (state === CLOSED_LOOP) return;
    this.#body.note({ what: "command", name: "idle", params: {} });
    if (!this.#body.isLying()) this.#body.physics.command?.("motor", "idle", {});
  }

  /** Setpoints move it in closed loop only. */
  #drive(): void {
    const mode = MODES[this.#of("controller.config.control_mode")];
    if (!mode || this.#of("current_state") !== CLOSED_LOOP) return;
    const most = mode.name === "velocity" ? this.#of("controller.config.vel_limit") : Number.POSITIVE_INFINITY;
    const value = Math.max(-most, Math.min(most, this.#of(mode.input))) * mode.perUnit;
    this.#body.note({ what: "command", name: mode.name, params: { [mode.param]: value } });
    if (!this.#body.isLying()) this.#body.physics.command?.("motor", mode.name, { [mode.param]: value });
  }

  #of(name: string): number {
    return this.#properties.get(`axis0.${name}`) ?? 0;
  }

  #set(name: string, value: number): void {
    this.#properties.set(`axis0.${name}`, value);
  }
}
