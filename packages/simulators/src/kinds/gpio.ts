import { type CommandAnswer, noise, rounded, type SimulatedField, type SimulatedKind } from "../simulator.ts";

const MODES = ["in", "out", "pwm"] as const;
type Mode = (typeof MODES)[number];

/** Pins that can be set, by their place on the header, and what hangs on them. */
const PINS = {
  gpio4: { place: 7, mode: "in", note: "door sensor" },
  gpio17: { place: 11, mode: "in", note: "guard closed" },
  gpio18: { place: 12, mode: "pwm", note: "fan" },
  gpio27: { place: 13, mode: "out", note: "valve" },
  gpio22: { place: 15, mode: "out", note: "lamp red" },
  gpio23: { place: 16, mode: "in", note: "encoder A" },
  gpio24: { place: 18, mode: "out", note: "lamp green" },
} as const satisfies Record<string, { place: number; mode: Mode; note: string }>;
type Name = keyof typeof PINS;
const NAMES = Object.keys(PINS) as Name[];
/** What the others on the header are. */
const OTHERS: readonly (readonly [place: number, name: string])[] = [
  ...([
    [1, "3V3"],
    [2, "5V"],
    [3, "SDA"],
    [4, "5V"],
    [5, "SCL"],
    [6, "GND"],
    [8, "TX"],
    [9, "GND"],
  ] as const),
  ...([
    [10, "RX"],
    [14, "GND"],
    [17, "3V3"],
    [19, "adc0"],
    [20, "GND"],
  ] as const),
];
const FAN_S = 3;
const ENCODER_HZ = 6;

type Pin = { mode: Mode; high: boolean; pct: number; pulseS: number };

const HIGH_OR_LOW: SimulatedField = { type: "boolean" };
const pinParam = { type: "string", enum: [...NAMES] };

/** A header with 20 pins, with a fan, a valve, lamps and sensors wired to them. */
export const gpio: SimulatedKind = {
  kind: "gpio",
  name: "GPIO",
  model: "header with 20 pins",
  description: "Pins of a board with a fan, a valve, lamps and sensors on them",
  nodes: {
    pins: {
      ...{ name: "J8", kind: "gpio", rateHz: 25 },
      fields: {
        ...Object.fromEntries(NAMES.map((name) => [name, HIGH_OR_LOW])),
        ...Object.fromEntries(NAMES.map((name) => [`${name}_pct`, { unit: "%", min: 0, max: 100 }])),
        adc0_v: { unit: "V", min: 0, max: 3.3 },
        pins: { type: "array" },
      },
      commands: {
        write: { effect: "powers", params: { pin: pinParam, high: { type: "boolean" } } },
        pwm: { effect: "powers", params: { pin: pinParam, duty_pct: { type: "number", minimum: 0, maximum: 100 } } },
        pulse: {
          effect: "powers",
          params: { pin: pinParam, high: { type: "boolean" }, ms: { type: "number", minimum: 1, maximum: 5_000 } },
        },
        mode: { effect: "powers", params: { pin: pinParam, mode: { type: "string", enum: [...MODES] } } },
        off: { effect: "none" },
      },
    },
  },
  create(random) {
    const pins = new Map<Name, Pin>(
      NAMES.map((name) => [name, { mode: PINS[name].mode, high: name === "gpio17", pct: 0, pulseS: 0 }]),
    );
    const pinOf = (name: Name): Pin => pins.get(name) as Pin;
    Object.assign(pinOf("gpio18"), { pct: 35 });
    let [atS, fan] = [0, 0.35];

    /** Inputs are what the world around them makes of them. */
    function sense(): void {
      const fanPin = pinOf("gpio18");
      const wanted = fanPin.mode === "pwm" ? fanPin.pct / 100 : Number(fanPin.high);
      const encoder = pinOf("gpio23");
      if (encoder.mode === "in") encoder.high = (atS * ENCODER_HZ * fan) % 1 < 0.5 && wanted > 0;
    }

    const rest = (): CommandAnswer => {
      for (const pin of pins.values()) if (pin.mode !== "in") Object.assign(pin, { high: false, pct: 0, pulseS: 0 });
      return { ok: true };
    };

    function write(name: Name, pin: Pin, high: boolean): CommandAnswer {
      if (pin.mode !== "out")
        return { ok: false, code: "denied", detail: `${name} is not an output: set its mode first.` };
      Object.assign(pin, { high, pulseS: 0 });
      return { ok: true };
    }

    return {
      step(seconds) {
        atS += seconds;
        const { pct, mode } = pinOf("gpio18");
        fan += (((mode === "pwm" ? pct / 100 : 0) - fan) * seconds) / FAN_S;
        for (const pin of pins.values()) {
          if (pin.pulseS <= 0) continue;
          pin.pulseS -= seconds;
          if (pin.pulseS <= 0) pin.high = !pin.high;
        }
        sense();
      },
      read() {
        const isRunning = (pin: Pin) => pin.mode === "pwm";
        return {
          ...Object.fromEntries([...pins].map(([name, pin]) => [name, isRunning(pin) ? null : pin.high])),
          ...Object.fromEntries([...pins].map(([name, pin]) => [`${name}_pct`, isRunning(pin) ? pin.pct : null])),
          adc0_v: rounded(1.8 + 0.6 * Math.sin(atS / 3) * fan + noise(random, 0.01), 3),
          pins: [
            ...[...pins].map(([name, { mode }]) => ({
              ...{ name, mode, place: PINS[name].place, note: PINS[name].note },
              ...(PINS[name].mode === "in" ? { pull: "up" } : { pull: "none", start: "low" }),
            })),
            ...OTHERS.map(([place, name]) => ({
              place,
              name,
              ...(name === "adc0" ? { mode: "adc", note: "pressure" } : {}),
            })),
          ],
        };
      },
      tell(what, value) {
        const pin = NAMES.find((name) => name === what);
        if (pin && pinOf(pin).mode === "in") pinOf(pin).high = value === true;
      },
      command(_node, command, params) {
        if (command === "off") return rest();
        const name = NAMES.find((known) => known === params.pin);
        if (!name) return { ok: false, code: "unknown-field", detail: "There is no such pin." };
        const pin = pinOf(name);
        if (command === "mode") {
          const mode = MODES.find((known) => known === params.mode) ?? "in";
          Object.assign(pin, { mode, high: false, pct: 0, pulseS: 0 });
          return { ok: true };
        }
        if (command === "pwm") {
          if (pin.mode !== "pwm")
            return { ok: false, code: "denied", detail: `${name} is not in PWM: set its mode first.` };
          pin.pct = Number(params.duty_pct);
          return { ok: true };
        }
        const done = write(name, pin, params.high === true);
        if (command !== "pulse" || !done.ok) return done;
        pin.pulseS = Number(params.ms) / 1_000;
        return { ok: true, isThere: () => pin.pulseS <= 0 };
      },
    };
  },
};
