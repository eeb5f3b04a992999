import { kissFrames } from "@backplane/devices/codecs";
import { speedController } from "../kinds/speed-controller.ts";
import type { SocketBody, SocketDevice, SocketKind } from "./socket-kind.ts";

const EVERY_S = 0.03;
const START_PCT = 20;

/** The simulated speed controller with a propeller; a flight controller drives it, and its telemetry is sent here. */
export const kissSimulator: SocketKind = {
  kind: "kiss",
  name: "KISS telemetry",
  description: "Telemetry of a speed controller that something else drives, as KISS and BLHeli send it, over TCP",
  port: 4_002,
  simulates: speedController,
  create: (body) => new Controller(body),
};

class Controller implements SocketDevice {
  readonly #body: SocketBody;
  #reply: (bytes: Uint8Array) => void = () => {};
  #passedS = 0;
  #isNoisy = false;

  constructor(body: SocketBody) {
    this.#body = body;
    this.tell("throttle_pct", START_PCT);
  }

  connect(reply: (bytes: Uint8Array) => void): () => void {
    this.#reply = reply;
    return () => {};
  }

  tick(seconds: number): void {
    this.#passedS += seconds;
    if (this.#passedS < EVERY_S) return;
    this.#passedS = 0;
    const { temperature_c, voltage_v, current_a, consumed_mah, erpm } = this.#body.physics.read("esc");
    this.#reply(
      kissFrames.write({
        ...{ temperatureC: Number(temperature_c), voltageV: Number(voltage_v), currentA: Number(current_a) },
        ...{ consumedMah: Number(consumed_mah), erpm: Number(erpm) },
      }),
    );
    if (this.#isNoisy) this.#reply(Buffer.from([0x55, 0xaa, 0x00]));
  }

  tell(what: string, value: unknown): void {
    if (what === "noise") this.#isNoisy = value === true;
    if (what === "throttle_pct") this.#body.physics.command?.("esc", "throttle", { throttle_pct: Number(value) });
  }
}
