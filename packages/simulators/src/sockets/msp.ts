import { CODE, LAYOUTS, type MspMessage, mspAnswers, mspRequests, writeLayout } from "@backplane/devices/codecs";
import { speedController } from "../kinds/speed-controller.ts";
import { type Physics, randomOf } from "../simulator.ts";
import type { SocketBody, SocketDevice, SocketKind } from "./socket-kind.ts";

const MOTORS = 4;
const POLES = 14;
const [STOP, FULL] = [1_000, 2_000];
const FEATURE_3D = 1 << 12;

/** Four of the simulated speed controllers behind a flight controller with Betaflight 4.5. */
export const mspSimulator: SocketKind = {
  kind: "msp",
  name: "MSP flight controller",
  description: "Four speed controllers with propellers behind a flight controller, by MSP over TCP",
  port: 5_761,
  simulates: speedController,
  create: (body) => new FlightController(body),
};

class FlightController implements SocketDevice {
  readonly #body: SocketBody;
  readonly #others: readonly Physics[] = [2, 3, 4].map((seed) => speedController.create(randomOf(seed)));
  #values: number[] = new Array<number>(MOTORS).fill(STOP);
  #isArmed = false;
  #is3d = false;

  constructor(body: SocketBody) {
    this.#body = body;
  }

  connect(reply: (bytes: Uint8Array) => void): (bytes: Buffer) => void {
    const reader = mspRequests.createReader();
    return (bytes) => {
      for (const { code, payload, flag } of reader.take(bytes)) {
        const answer = this.#answer(code, payload);
        const version = flag === undefined ? {} : { flag };
        reply(
          mspAnswers.write({ code, ...version, ...(answer ? { payload: answer } : { payload: [], isError: true }) }),
        );
      }
    };
  }

  tick(seconds: number): void {
    for (const physics of this.#others) physics.step(seconds);
  }

  tell(what: string, value: unknown): void {
    if (what === "armed") this.#isArmed = value === true;
    if (what === "3d") this.#is3d = value === true;
  }

  #all(): Physics[] {
    return [this.#body.physics, ...this.#others];
  }

  /** Undefined: it does not know the message. */
  #answer(code: number, payload: MspMessage["payload"]): readonly number[] | undefined {
    if (code === CODE.api) return [0, 1, 46];
    if (code === CODE.variant) return [...Buffer.from("BTFL")];
    if (code === CODE.version) return [4, 5, 1];
    if (code === CODE.features) return [...writeLayout(LAYOUTS.features, { flags: this.#is3d ? FEATURE_3D : 0 })];
    if (code === CODE.status)
      return [...writeLayout(LAYOUTS.status, { cycleUs: 125, i2cErrors: 0, sensors: 1, modes: Number(this.#isArmed) })];
    if (code === CODE.motorConfig) {
      const limits = { minThrottle: 1_070, maxThrottle: FULL, minCommand: STOP };
      return [...writeLayout(LAYOUTS.motorConfig, { ...limits, motors: MOTORS, poles: POLES })];
    }
    if (code === CODE.battery) return [...writeLayout(LAYOUTS.battery, this.#battery())];
    if (code === CODE.motor) return motorBytes([...this.#values, 0, 0, 0, 0]);
    if (code === CODE.telemetry) return [MOTORS, ...this.#all().flatMap((physics) => [...this.#telemetry(physics)])];
    if (code !== CODE.setMotor || this.#is3d) return undefined;
    this.#set(Array.from({ length: MOTORS }, (_, i) => (payload[2 * i] ?? 0) + 256 * (payload[2 * i + 1] ?? 0)));
    return [];
  }

  /** It keeps on until it is told something else: there is no watchdog. */
  #set(values: number[]): void {
    this.#body.note({ what: "command", name: "motors", params: { motors: values } });
    if (this.#body.isLying() || this.#isArmed) return;
    this.#values = values;
    for (const [i, physics] of this.#all().entries()) {
      const pct = Math.max(0, Math.min(100, ((values[i] ?? STOP) - STOP) / 10));
      physics.command?.("esc", "throttle", { throttle_pct: pct });
    }
  }

  #battery() {
    const { voltage_v, current_a, consumed_mah } = this.#body.physics.read("esc");
    return {
      ...{ cells: 4, capacityMah: 1_500, voltageV: Number(voltage_v) },
      ...{ consumedMah: Number(consumed_mah), currentA: Number(current_a) },
    };
  }

  #telemetry(physics: Physics): Uint8Array {
    const { erpm, temperature_c, voltage_v, current_a, consumed_mah } = physics.read("esc");
    return writeLayout(LAYOUTS.telemetry, {
      ...{ rpm: (2 * Number(erpm)) / POLES, invalidPct: 0, temperatureC: Number(temperature_c) },
      ...{ voltageV: Number(voltage_v), currentA: Number(current_a), consumedMah: Number(consumed_mah) },
    });
  }
}

const motorBytes = (values: readonly number[]): number[] =>
  values.flatMap((value) => [value & 0xff, (value >> 8) & 0xff]);
