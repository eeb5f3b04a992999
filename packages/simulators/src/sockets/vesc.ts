import { type VescRequest, vescAnswers, vescRequests } from "@backplane/devices/codecs";
import { motor } from "../kinds/motor.ts";
import type { SocketBody, SocketDevice, SocketKind } from "./socket-kind.ts";

const POLE_PAIRS = 7;
const ERPM_PER_RAD_S = (60 / (2 * Math.PI)) * POLE_PAIRS;
/** At full duty. */
const MAX_RAD_S = 200;
const NM_PER_A = 0.05;
const TIME_OUT_S = 1;

/** The simulated motor behind a VESC with firmware 6.02. */
export const vescSimulator: SocketKind = {
  kind: "vesc",
  name: "VESC",
  description: "The same motor behind a VESC, by its UART protocol over TCP",
  port: 65_102,
  simulates: motor,
  create: (body) => new Vesc(body),
};

class Vesc implements SocketDevice {
  readonly #body: SocketBody;
  #unfedS = 0;
  #isDriven = false;
  #fault = 0;
  #usedAh = 0;

  constructor(body: SocketBody) {
    this.#body = body;
  }

  connect(reply: (bytes: Uint8Array) => void): (bytes: Buffer) => void {
    const reader = vescRequests.createReader();
    return (bytes) => {
      for (const request of reader.take(bytes)) {
        if (request.command === "firmware")
          reply(vescAnswers.write({ command: "firmware", major: 6, minor: 2, hardware: "60" }));
        else if (request.command === "values") reply(this.#values());
        else this.#obey(request);
      }
    };
  }

  tick(seconds: number): void {
    this.#usedAh += (this.#read().inputA * seconds) / 3_600;
    this.#unfedS += seconds;
    if (!this.#isDriven || this.#unfedS < TIME_OUT_S) return;
    this.#body.note({ what: "watchdog", name: "current", params: { value: 0 } });
    this.#drive("torque", { torque_nm: 0 });
    this.#isDriven = false;
  }

  tell(what: string, value: unknown): void {
    if (what === "fault" && typeof value === "number") this.#fault = value;
    if (this.#fault !== 0) this.#drive("idle", {});
  }

  /** Every setpoint, and COMM_ALIVE, begin the time-out again. */
  #obey(request: VescRequest): void {
    this.#unfedS = 0;
    if (!("value" in request)) return;
    const { command, value } = request;
    this.#body.note({ what: "command", name: command, params: { value } });
    this.#isDriven = value !== 0;
    if (command === "duty") this.#drive("velocity", { velocity_rad_s: value * MAX_RAD_S });
    else if (command === "erpm") this.#drive("velocity", { velocity_rad_s: value / ERPM_PER_RAD_S });
    else if (command === "current") this.#drive("torque", { torque_nm: value * NM_PER_A });
    else this.#drive("velocity", { velocity_rad_s: 0 });
  }

  #drive(name: string, params: Record<string, number>): void {
    if (!this.#body.isLying() && (this.#fault === 0 || name === "idle"))
      this.#body.physics.command?.("motor", name, params);
  }

  #read() {
    const { velocity_rad_s, current_a, bus_voltage_v, motor_c, driver_c } = this.#body.physics.read("motor");
    const duty = Math.max(-1, Math.min(1, Number(velocity_rad_s) / MAX_RAD_S));
    return {
      ...{ duty, erpm: Number(velocity_rad_s) * ERPM_PER_RAD_S, motorA: Number(current_a) },
      ...{ inputA: Math.abs(Number(current_a) * duty), inputV: Number(bus_voltage_v) },
      ...{ motorC: Number(motor_c), driverC: Number(driver_c) },
    };
  }

  #values(): Uint8Array {
    const read = this.#read();
    return vescAnswers.write({
      ...{ command: "values", ...read, dA: 0, qA: read.motorA, usedAh: this.#usedAh, chargedAh: 0 },
      ...{ usedWh: this.#usedAh * read.inputV, chargedWh: 0, turns: 0, turnsBothWays: 0 },
      ...{ fault: this.#fault, positionDeg: 0, id: 0 },
    });
  }
}
