import { type FirmataReport, type FirmataRequest, firmataReports, firmataRequests } from "@backplane/devices/codecs";
import { gpio } from "../kinds/gpio.ts";
import type { SocketBody, SocketDevice, SocketKind } from "./socket-kind.ts";

/** Numbers of the pins of the header, and what each of them can do. */
const PINS: ReadonlyMap<number, string> = new Map(
  Object.keys(gpio.nodes.pins?.fields ?? {}).flatMap((field) => {
    const [, number] = /^gpio(\d+)$/.exec(field) ?? [];
    return number === undefined ? [] : [[Number(number), field]];
  }),
);
const ADC_PIN = 28;
const NO_CHANNEL = 127;
/** By their numbers. */
const MODES: readonly string[] = ["in", "out", "adc", "pwm"];
const VOLTS = 3.3;
const [ADC_MOST, PWM_MOST] = [1_023, 255];
const SAMPLE_S = 0.05;

/** The simulated header as a board with StandardFirmata: `d4` is its GPIO 4. */
export const firmataSimulator: SocketKind = {
  kind: "firmata",
  name: "Firmata board",
  description: "The same header of pins on a board with StandardFirmata, over TCP",
  port: 3_030,
  settings: { volts: VOLTS },
  simulates: gpio,
  create: (body) => new Board(body),
};

class Board implements SocketDevice {
  readonly #body: SocketBody;
  /** A board has one line: whoever connected last. */
  #reply: (bytes: Uint8Array) => void = () => {};
  #ports = new Map<number, number>();
  #hasAnalog = false;
  #passedS = 0;

  constructor(body: SocketBody) {
    this.#body = body;
  }

  connect(reply: (bytes: Uint8Array) => void): (bytes: Buffer) => void {
    const reader = firmataRequests.createReader();
    this.#reply = reply;
    this.#ports.clear();
    this.#hasAnalog = false;
    return (bytes) => {
      for (const request of reader.take(bytes)) this.#obey(request);
    };
  }

  /** Inputs are reported when they change, analog ones again and again. */
  tick(seconds: number): void {
    for (const [port, before] of this.#ports) {
      const value = this.#levels(port);
      if (value === before) continue;
      this.#ports.set(port, value);
      this.#reply(firmataReports.write({ type: "digital", port, value }));
    }
    this.#passedS += seconds;
    if (!this.#hasAnalog || this.#passedS < SAMPLE_S) return;
    this.#passedS = 0;
    const value = Math.round((Number(this.#body.physics.read("pins").adc0_v) / VOLTS) * ADC_MOST);
    this.#reply(firmataReports.write({ type: "analog", channel: 0, value: Math.max(0, Math.min(ADC_MOST, value)) }));
  }

  #levels(port: number): number {
    const values = this.#body.physics.read("pins");
    return [...PINS].reduce((sum, [number, name]) => {
      const isHere = number >> 3 === port && this.#modeOf(number) === "in" && values[name] === true;
      return isHere ? sum | (1 << (number & 7)) : sum;
    }, 0);
  }

  #modeOf(number: number): string {
    const listed = this.#body.physics.read("pins").pins as unknown as readonly { name: string; mode?: string }[];
    const name = number === ADC_PIN ? "adc0" : PINS.get(number);
    return listed.find((one) => one.name === name)?.mode ?? "in";
  }

  #obey(request: FirmataRequest): void {
    const report = this.#answerTo(request);
    if (report) this.#reply(firmataReports.write(report));
    else if (request.type === "report-analog") this.#hasAnalog = request.channel === 0 && request.isOn;
    else if (request.type === "report-digital") {
      if (request.isOn) this.#ports.set(request.port, Number.NaN);
      else this.#ports.delete(request.port);
    } else if (request.type === "mode") this.#tell(request.pin, "mode", { mode: MODES[request.mode] ?? "in" });
    else if (request.type === "write") this.#tell(request.pin, "write", { high: request.value !== 0 });
    else if (request.type === "analog" || request.type === "long-analog")
      this.#tell(request.pin, "pwm", { duty_pct: (100 * request.value) / PWM_MOST });
  }

  #answerTo(request: FirmataRequest): FirmataReport | undefined {
    const numbers = Array.from({ length: ADC_PIN + 1 }, (_, number) => number);
    switch (request.type) {
      case "version?":
        return { type: "version", major: 2, minor: 5 };
      case "firmware?":
        return { type: "firmware", major: 2, minor: 5, name: "StandardFirmata" };
      case "channels?":
        return { type: "channels", channels: numbers.map((number) => (number === ADC_PIN ? 0 : NO_CHANNEL)) };
      case "capabilities?":
        return { type: "capabilities", pins: numbers.map(modesOf) };
      case "state?":
        return this.#state(request.pin);
      default:
        return undefined;
    }
  }

  #tell(number: number, name: string, params: Record<string, string | number | boolean>): void {
    const pin = PINS.get(number);
    if (pin === undefined) return;
    this.#body.note({ what: "command", name, params: { pin, ...params } });
    if (!this.#body.isLying()) this.#body.physics.command?.("pins", name, { pin, ...params });
  }

  #state(pin: number): FirmataReport {
    const name = PINS.get(pin) ?? "";
    const mode = this.#modeOf(pin);
    const values = this.#body.physics.read("pins");
    const duty = Math.round((Number(values[`${name}_pct`] ?? 0) / 100) * PWM_MOST);
    const state = mode === "pwm" ? duty : mode === "out" ? Number(values[name] === true) : 0;
    return { type: "state", pin, mode: Math.max(0, MODES.indexOf(mode)), state };
  }
}

function modesOf(number: number): { mode: number; bits: number }[] {
  if (number === ADC_PIN) return [{ mode: 2, bits: 10 }];
  if (!PINS.has(number)) return [];
  return [
    { mode: 0, bits: 1 },
    { mode: 1, bits: 1 },
    { mode: 3, bits: 8 },
  ];
}
