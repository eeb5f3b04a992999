import type { JsonObject } from "@backplane/contract/panels";
import { noise, rounded, type SimulatedField, type SimulatedKind } from "../simulator.ts";

/** In the order in which they are switched on. `needs`: rails that must be on before. */
const RAILS = {
  logic_5v: { by: "supply 1 ch 3", volts: 5, limitA: 2, capacityF: 0.001, loadOhm: 6, needs: [], guarded: false },
  sensors_12v: {
    by: "supply 1 ch 2",
    volts: 12,
    limitA: 1,
    capacityF: 0.000_5,
    loadOhm: 29,
    needs: ["logic_5v"],
    guarded: false,
  },
  drives_24v: {
    by: "supply 1 ch 1",
    volts: 24,
    limitA: 3.2,
    capacityF: 0.004_7,
    loadOhm: 11,
    needs: ["logic_5v"],
    guarded: true,
  },
  spindle_48v: {
    by: "supply 2 ch 1",
    volts: 48,
    limitA: 3,
    capacityF: 0.002_2,
    loadOhm: 30,
    needs: ["drives_24v"],
    guarded: true,
  },
  vacuum_pump: {
    by: "plug 7",
    volts: 24,
    limitA: 2,
    capacityF: 0.001,
    loadOhm: 20,
    needs: ["spindle_48v"],
    guarded: false,
  },
} as const satisfies Record<
  string,
  { by: string; volts: number; limitA: number; capacityF: number; loadOhm: number; needs: string[]; guarded: boolean }
>;
type Name = keyof typeof RAILS;
const NAMES = Object.keys(RAILS) as Name[];

/** Of the supply and its cables. */
const SOURCE_OHM = 1.2;
/** A supply lets this much more through for a moment than it may give for long. */
const PEAK_SHARE = 2.2;
const STEP_S = 0.000_1;
/** Loads start slowly: capacitors and what they feed. */
const SOFT_START_S = 0.35;
const INRUSH_STEP_MS = 1;
const INRUSH_MS = 75;
const ON_SHARE = 0.98;
const SHORT_OHM = 0.3;
/** At its limit for this long: it gives up. */
const FOLDBACK_S = 1;

type Rail = {
  isOn: boolean;
  volts: number;
  amps: number;
  sinceS: number;
  wh: number;
  limitA: number;
  atLimitS: number;
  fault: string;
  isShort: boolean;
};

const fieldsOf = (name: Name): Record<string, SimulatedField> => ({
  [`${name}_state`]: { type: "string" },
  [`${name}_by`]: { type: "string" },
  [`${name}_v`]: { unit: "V", min: 0, max: RAILS[name].volts },
  [`${name}_a`]: { unit: "A", min: 0 },
  [`${name}_limit_a`]: { unit: "A", min: 0 },
  [`${name}_wh`]: { unit: "Wh", min: 0 },
});
const rail = { type: "string", enum: [...NAMES] };

/** The supplies of a cell: rails with capacitive loads, limits that fold back, and a guard as interlock. */
export const power: SimulatedKind = {
  kind: "power",
  name: "Workcell power",
  model: "3 supplies, 5 rails",
  description: "Five supply rails with interlocks, inrush and current limits",
  nodes: {
    power: {
      ...{ name: "Rails", kind: "workcell-power", rateHz: 10 },
      fields: {
        ...Object.assign({}, ...NAMES.map(fieldsOf)),
        guard_closed: { type: "boolean" },
        cabinet_c: { unit: "°C", max: 50 },
        inrush: { type: "object" },
      },
      commands: {
        on: { effect: "powers", params: { rail } },
        off: { effect: "none", params: { rail } },
        limit: { effect: "powers", params: { rail, limit_a: { type: "number", minimum: 0.1, maximum: 5 } } },
        clear_fault: { effect: "none", params: { rail } },
      },
    },
  },
  create(random) {
    const start = (name: Name): Rail => ({
      ...{
        isOn: false,
        volts: 0,
        amps: 0,
        sinceS: 0,
        wh: 0,
        limitA: RAILS[name].limitA,
        atLimitS: 0,
        fault: "",
        isShort: false,
      },
    });
    const rails = new Map<Name, Rail>(NAMES.map((name) => [name, start(name)]));
    const railOf = (name: Name): Rail => rails.get(name) as Rail;
    let isGuardClosed = true;
    let inrush: JsonObject | null = null;
    const isUp = (name: Name) => railOf(name).volts >= ON_SHARE * RAILS[name].volts;

    /** What flows into the capacitor and the load behind it, a short time later. */
    function flow(
      name: Name,
      one: Pick<Rail, "volts" | "sinceS" | "limitA" | "isShort">,
      seconds: number,
    ): { volts: number; amps: number } {
      const { volts, capacityF, loadOhm } = RAILS[name];
      const ramp = Math.min(1, one.sinceS / SOFT_START_S);
      const resistance = one.isShort ? SHORT_OHM : loadOhm / Math.max(0.05, ramp);
      const most = one.sinceS < INRUSH_MS / 5_000 ? PEAK_SHARE * one.limitA : one.limitA;
      const amps = Math.max(0, Math.min(most, (volts - one.volts) / SOURCE_OHM + one.volts / resistance));
      const into = (amps - one.volts / resistance) / capacityF;
      return { volts: Math.max(0, Math.min(volts, one.volts + into * seconds)), amps };
    }

    /** The picture of switching on, as fast as a scope would take it. */
    function inrushOf(name: Name): JsonObject {
      const one = { ...railOf(name), volts: 0, sinceS: 0 };
      const [a, v]: [number[], number[]] = [[], []];
      for (let ms = 0; ms <= INRUSH_MS; ms += INRUSH_STEP_MS) {
        let amps = 0;
        for (let i = 0; i < INRUSH_STEP_MS / 1_000 / STEP_S; i += 1) {
          const next = flow(name, one, STEP_S);
          amps = Math.max(amps, next.amps);
          one.volts = next.volts;
          one.sinceS += STEP_S;
        }
        a.push(rounded(amps, 3));
        v.push(rounded(one.volts, 2));
      }
      return { rail: name, step_ms: INRUSH_STEP_MS, a, v };
    }

    function supply(name: Name, one: Rail, seconds: number): void {
      const { volts, loadOhm } = RAILS[name];
      const isSteady = one.isOn ? isUp(name) && one.sinceS > SOFT_START_S && !one.isShort : one.volts < 0.01;
      if (isSteady) Object.assign(one, one.isOn ? { volts, amps: volts / loadOhm } : { volts: 0, amps: 0 });
      for (let left = isSteady ? 0 : Math.min(seconds, 0.1); left > 0; left -= STEP_S) {
        const next = one.isOn ? flow(name, one, STEP_S) : { volts: one.volts * (1 - STEP_S / 0.05), amps: 0 };
        Object.assign(one, next);
        one.sinceS += STEP_S;
      }
      one.wh += (one.volts * one.amps * seconds) / 3_600;
      one.atLimitS =
        one.isOn && one.amps >= 0.99 * one.limitA && one.volts < ON_SHARE * volts ? one.atLimitS + seconds : 0;
      if (one.atLimitS > FOLDBACK_S)
        Object.assign(one, { isOn: false, fault: `held at ${one.limitA} A: a short, or too much load` });
    }

    function switchOn(name: Name): ReturnType<NonNullable<ReturnType<SimulatedKind["create"]>["command"]>> {
      const { needs, guarded, volts } = RAILS[name];
      const one = railOf(name);
      if (one.fault !== "")
        return { ok: false, code: "denied", detail: `${name} has a fault: ${one.fault}. Clear it first.` };
      if (guarded && !isGuardClosed) return { ok: false, code: "denied", detail: `${name} waits for guard_closed.` };
      const missing = needs.find((needed) => !isUp(needed));
      if (missing !== undefined) return { ok: false, code: "denied", detail: `${name} needs ${missing} first.` };
      inrush = inrushOf(name);
      Object.assign(one, { isOn: true, sinceS: 0 });
      return { ok: true, isThere: () => (one.fault === "" ? one.volts >= ON_SHARE * volts : `${name}: ${one.fault}.`) };
    }

    const stateOf = (name: Name, { isOn, fault }: Rail): string =>
      fault === "" ? (isOn ? (isUp(name) ? "on" : "rising") : "off") : "fault";
    return {
      step(seconds) {
        for (const [name, one] of rails) {
          if (one.isOn && RAILS[name].guarded && !isGuardClosed) one.isOn = false;
          supply(name, one, seconds);
        }
      },
      read() {
        const entries = [...rails].flatMap(([name, one]) => [
          [`${name}_state`, stateOf(name, one)],
          [`${name}_by`, RAILS[name].by],
          [`${name}_v`, rounded(one.volts, 2)],
          [`${name}_a`, rounded(one.isOn ? Math.max(0, one.amps + noise(random, 0.004)) : 0, 2)],
          [`${name}_limit_a`, one.limitA],
          [`${name}_wh`, rounded(one.wh, 3)],
        ]);
        const total = [...rails.values()].reduce((sum, { amps, volts }) => sum + amps * volts, 0);
        return {
          ...Object.fromEntries(entries),
          guard_closed: isGuardClosed,
          cabinet_c: rounded(26 + total / 20, 1),
          inrush,
        };
      },
      tell(what, value) {
        if (what === "guard_closed") isGuardClosed = value === true;
        const short = NAMES.find((name) => what === `${name}_short`);
        if (short) railOf(short).isShort = value === true;
      },
      command(_node, command, params) {
        const name = NAMES.find((known) => known === params.rail);
        if (!name) return { ok: false, code: "unknown-field", detail: "There is no such rail." };
        const one = railOf(name);
        if (command === "on") return switchOn(name);
        if (command === "off") one.isOn = false;
        else if (command === "limit") one.limitA = Number(params.limit_a);
        else one.fault = "";
        return { ok: true };
      },
    };
  },
};
