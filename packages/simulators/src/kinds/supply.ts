import { type CommandAnswer, noise, rounded, type SimulatedKind } from "../simulator.ts";

const MAX_A = 3;
const OUTPUT_OHM = 0.02;
const BLEED_OHM = 220;
const MAX_STEP_S = 0.001;
/** What the rails supply: each with a capacitor that is charged first. */
const RAILS = {
  ch1: { name: "Output 1", volts: 12, loadOhm: 24, farads: 0.004_7 },
  ch2: { name: "Output 2", volts: 5, loadOhm: 10, farads: 0.002_2 },
} as const;
type RailId = keyof typeof RAILS;

const node = (name: string) => ({
  ...{ name, kind: "workcell-power", rateHz: 10 },
  fields: {
    on: { type: "boolean" as const },
    voltage_v: { unit: "V", min: 0 },
    current_a: { unit: "A", min: 0 },
    power_w: { unit: "W", min: 0 },
    limit_a: { unit: "A", min: 0, max: MAX_A },
  },
  commands: {
    on: { effect: "powers" as const },
    off: { effect: "powers" as const },
    limit: { effect: "powers" as const, params: { limit_a: { type: "number", minimum: 0, maximum: MAX_A } } },
  },
});

/** A supply with two outputs: capacitors behind them, and a current limit at which the voltage gives way. */
export const supply: SimulatedKind = {
  kind: "supply",
  name: "Supply",
  model: "Two outputs, 12 V and 5 V",
  description: "A bench supply with two outputs, inrush and a current limit",
  nodes: { ch1: node(RAILS.ch1.name), ch2: node(RAILS.ch2.name) },
  create(random) {
    const rails = new Map(
      Object.entries(RAILS).map(([id, rail]) => [id, { ...rail, isOn: false, v: 0, a: 0, limitA: 1 }]),
    );
    type Rail = NonNullable<ReturnType<typeof rails.get>>;

    /** At its limit it is a source of current; below it, one of voltage with a small resistance. */
    function charge(rail: Rail, seconds: number): void {
      const wantedA = (rail.volts - rail.v) / OUTPUT_OHM;
      if (!rail.isOn || wantedA > rail.limitA) {
        rail.a = rail.isOn ? rail.limitA : 0;
        const drawnA = rail.v / Math.min(rail.loadOhm, BLEED_OHM);
        rail.v = Math.max(0, rail.v + ((rail.a - drawnA) / rail.farads) * seconds);
        return;
      }
      const settledV = (rail.volts * rail.loadOhm) / (rail.loadOhm + OUTPUT_OHM);
      const ohm = (rail.loadOhm * OUTPUT_OHM) / (rail.loadOhm + OUTPUT_OHM);
      rail.v = settledV + (rail.v - settledV) * Math.exp(-seconds / (ohm * rail.farads));
      rail.a = Math.max(0, Math.min(rail.limitA, (rail.volts - rail.v) / OUTPUT_OHM));
    }

    function command(rail: Rail, name: string, limit: unknown): CommandAnswer {
      if (name === "limit") {
        if (typeof limit !== "number" || !(limit >= 0 && limit <= MAX_A)) return { ok: false, code: "out-of-limits" };
        rail.limitA = limit;
      } else rail.isOn = name === "on";
      return { ok: true };
    }

    return {
      step(seconds) {
        for (const rail of rails.values())
          for (let left = seconds; left > 0; left -= MAX_STEP_S) charge(rail, Math.min(left, MAX_STEP_S));
      },
      read(id) {
        const rail = rails.get(id as RailId);
        if (!rail) return {};
        const volts = Math.max(0, rail.v + noise(random, 0.001));
        return {
          ...{ on: rail.isOn, voltage_v: rounded(volts, 4), current_a: rounded(rail.a, 4) },
          ...{ power_w: rounded(volts * rail.a, 3), limit_a: rail.limitA },
        };
      },
      command(id, name, { limit_a }) {
        const rail = rails.get(id as RailId);
        return rail ? command(rail, name, limit_a) : { ok: false, code: "unsupported" };
      },
    };
  },
};
