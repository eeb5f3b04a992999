import { rounded, type SimulatedKind, type SimulatedNode } from "../simulator.ts";

const LAMPS = {
  "bench-1": "Bench 1",
  "bench-2": "Bench 2",
  "bench-3": "Bench 3",
  door: "Door",
  cell: "Cell",
  printer: "Printer",
  shelf: "Shelf",
  desk: "Desk",
} as const;
/** Its relay sticks: it says yes to everything, and stays as it is. */
const LYING = "bench-2";
/** Somebody has switched it off at the wall. */
const SILENT = "desk";
const FADE_PCT_S = 250;

type Lamp = { on: boolean; brightness: number; shown: number; kelvin: number };

const nodeOf = (name: string): SimulatedNode => ({
  ...{ name, kind: "light", rateHz: 4 },
  fields: {
    on: { type: "boolean" },
    brightness_pct: { unit: "%", min: 0, max: 100 },
    kelvin: { unit: "K", min: 2_200, max: 6_500 },
  },
  commands: {
    set: {
      effect: "changes",
      required: [],
      params: {
        on: { type: "boolean" },
        brightness_pct: { type: "number", minimum: 0, maximum: 100 },
        kelvin: { type: "number", minimum: 2_200, maximum: 6_500 },
      },
    },
  },
});

/** The lamps of a room behind one bridge: they fade, one lies, and one is silent. */
export const lights: SimulatedKind = {
  kind: "lights",
  name: "Lights",
  model: "bridge with 8 lamps",
  description: "Eight lamps of a room: they fade, one lies, one is silent",
  nodes: Object.fromEntries(Object.entries(LAMPS).map(([id, name]) => [id, nodeOf(name)])),
  create() {
    const lamps = new Map<string, Lamp>(
      Object.keys(LAMPS).map((id, i) => {
        const on = i !== 1 && i < 5;
        const brightness = on ? 100 - 15 * i : 50;
        return [id, { on, brightness, shown: on ? brightness : 0, kelvin: 2_700 + 300 * (i % 4) }];
      }),
    );
    const goalOf = ({ on, brightness }: Lamp): number => (on ? brightness : 0);
    return {
      step(seconds) {
        for (const lamp of lamps.values()) {
          const left = goalOf(lamp) - lamp.shown;
          lamp.shown += Math.sign(left) * Math.min(Math.abs(left), FADE_PCT_S * seconds);
        }
      },
      isSilent: (node) => node === SILENT,
      read(node) {
        const { shown = 0, kelvin = 0, on = false } = lamps.get(node) ?? {};
        return { on: on || shown > 0, brightness_pct: rounded(shown, 1), kelvin };
      },
      command(node, _name, { on, brightness_pct, kelvin }) {
        const lamp = lamps.get(node);
        if (!lamp || node === LYING) return { ok: true };
        if (typeof kelvin === "number") lamp.kelvin = kelvin;
        if (typeof brightness_pct === "number") lamp.brightness = brightness_pct;
        lamp.on = typeof on === "boolean" ? on : lamp.on || brightness_pct !== undefined;
        return { ok: true, isThere: () => lamp.shown === goalOf(lamp) };
      },
    };
  },
};
