import { veDirectBlocks } from "@backplane/devices/codecs";
import { batteryCharger } from "../kinds/battery-charger.ts";
import type { SocketBody, SocketDevice, SocketKind } from "./socket-kind.ts";

const EVERY_S = 1;
/** `CS`, and `ERR` of a pack that is too hot or wired wrongly. */
const STATES: Readonly<Record<string, number>> = {
  ...{ idle: 0, fault: 2, "constant current": 3, "constant voltage": 4, full: 5 },
};
const FAULT = 2;

/** The simulated charger as a Victron Phoenix Smart charger, which says what it measures once per second. */
export const veDirectSimulator: SocketKind = {
  kind: "ve-direct",
  name: "VE.Direct charger",
  description: "The same charger as Victron's say what they measure, by VE.Direct over TCP",
  port: 4_000,
  simulates: batteryCharger,
  create: (body) => new VeDirect(body),
};

class VeDirect implements SocketDevice {
  readonly #body: SocketBody;
  #waitedS = EVERY_S;

  constructor(body: SocketBody) {
    this.#body = body;
  }

  /** Nothing is obeyed. */
  connect(reply: (bytes: Uint8Array) => void): (bytes: Buffer) => void {
    reply(this.#block());
    return () => {};
  }

  tick(seconds: number): void {
    this.#waitedS += seconds;
    if (this.#waitedS < EVERY_S) return;
    this.#waitedS = 0;
    this.#body.say(this.#block());
  }

  #block(): Uint8Array {
    const { pack_v, current_a, soc_pct, state, temperature_c } = this.#body.physics.read("charger");
    const whole = (value: unknown, by: number) => String(Math.round(Number(value) * by));
    return veDirectBlocks.write([
      ...[["PID", "0xA340"] as const, ["FW", "0342"] as const, ["SER#", "SIMULATED"] as const],
      ...[["V", whole(pack_v, 1_000)] as const, ["I", whole(current_a, 1_000)] as const],
      ...[["T", whole(Array.isArray(temperature_c) ? temperature_c[0] : 0, 1)] as const],
      ...[["SOC", whole(soc_pct, 10)] as const, ["CS", String(STATES[String(state)] ?? 0)] as const],
      ["ERR", state === "fault" ? String(FAULT) : "0"],
    ]);
  }
}
