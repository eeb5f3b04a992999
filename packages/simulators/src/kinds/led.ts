import type { JsonData, JsonObject } from "@backplane/contract/panels";
import { rounded, type SimulatedKind } from "../simulator.ts";

const PIXELS = 60;
const EFFECTS = ["Solid", "Breathe", "Chase", "Blink", "Rainbow"] as const;
type Effect = (typeof EFFECTS)[number];
type Rgb = [number, number, number];

/** One colour of one pixel at full brightness. */
const CHANNEL_A = 0.02;
/** Of every pixel, also a dark one. */
const IDLE_A = 0.000_7;
const BUDGET_A = 1.5;
const DEAD = 52;
const CHASE_PIXELS = 8;

type Segment = {
  name: string;
  from: number;
  to: number;
  on: boolean;
  brightness_pct: number;
  rgb: Rgb;
  effect: Effect;
  speed_pct: number;
};

const percent = { type: "number", minimum: 0, maximum: 100 };
const SEGMENTS = ["cabin", "turn left", "warning"] as const;

/** A strip with three segments, a current budget and a dead pixel. */
export const led: SimulatedKind = {
  kind: "led",
  name: "LED strip",
  model: "60 × WS2812B",
  description: "A strip of 60 pixels with effects and a current budget",
  nodes: {
    led: {
      ...{ name: "Strip", kind: "led", rateHz: 12.5 },
      fields: {
        on: { type: "boolean" },
        brightness_pct: { unit: "%", min: 0, max: 100 },
        current_a: { unit: "A", min: 0 },
        wanted_a: { unit: "A", min: 0 },
        budget_a: { unit: "A", min: 0 },
        segments: { type: "array" },
        pixels: { type: "string" },
      },
      commands: {
        set: {
          effect: "changes",
          required: [],
          params: {
            segment: { type: "string", enum: [...SEGMENTS] },
            on: { type: "boolean" },
            brightness_pct: percent,
            rgb: { type: "array", items: { type: "integer", minimum: 0, maximum: 255 }, minItems: 3, maxItems: 3 },
            kelvin: { type: "number", minimum: 2_000, maximum: 9_000 },
            effect: { type: "string", enum: [...EFFECTS] },
            speed_pct: percent,
          },
        },
      },
    },
  },
  create() {
    const segments: Segment[] = [
      {
        name: "cabin",
        from: 0,
        to: 23,
        on: true,
        brightness_pct: 60,
        rgb: [255, 140, 20],
        effect: "Breathe",
        speed_pct: 45,
      },
      {
        name: "turn left",
        from: 24,
        to: 43,
        on: true,
        brightness_pct: 80,
        rgb: [40, 220, 255],
        effect: "Chase",
        speed_pct: 60,
      },
      {
        name: "warning",
        from: 44,
        to: 59,
        on: true,
        brightness_pct: 70,
        rgb: [255, 30, 70],
        effect: "Blink",
        speed_pct: 30,
      },
    ];
    let atS = 0;

    const drawOf = ([r, g, b]: Rgb): number => ((r + g + b) / 255) * CHANNEL_A;

    /** What the pixels would show and draw without the budget. */
    function wanted(): { pixels: Rgb[]; draws: number[]; totalA: number } {
      const pixels: Rgb[] = Array.from({ length: PIXELS }, () => [0, 0, 0]);
      const draws = segments.map((segment) => {
        let sum = 0;
        for (let i = segment.from; i <= segment.to; i += 1) {
          pixels[i] = pixelOf(segment, i - segment.from, atS);
          if (i !== DEAD) sum += drawOf(pixels[i] as Rgb);
        }
        return sum;
      });
      return { pixels, draws, totalA: PIXELS * IDLE_A + draws.reduce((sum, one) => sum + one, 0) };
    }
    const shareOf = (totalA: number): number => Math.min(1, BUDGET_A / totalA);

    function change(segment: Segment, params: JsonObject): void {
      if (typeof params.on === "boolean") segment.on = params.on;
      if (typeof params.brightness_pct === "number") segment.brightness_pct = params.brightness_pct;
      if (typeof params.speed_pct === "number") segment.speed_pct = params.speed_pct;
      if (typeof params.kelvin === "number") segment.rgb = rgbOfKelvin(params.kelvin);
      if (isRgb(params.rgb)) segment.rgb = params.rgb;
      const effect = EFFECTS.find((known) => known === params.effect);
      if (effect) segment.effect = effect;
    }

    return {
      step(seconds) {
        atS += seconds;
      },
      read() {
        const { pixels, draws, totalA } = wanted();
        const share = shareOf(totalA);
        const reached = segments.map(({ on, brightness_pct }) => (on ? rounded(brightness_pct * share, 1) : 0));
        return {
          on: segments.some(({ on }) => on),
          brightness_pct: Math.max(...reached),
          current_a: rounded(totalA * share, 3),
          wanted_a: rounded(totalA, 3),
          budget_a: BUDGET_A,
          segments: segments.map(({ brightness_pct, ...segment }, i) => ({
            ...segment,
            ...{ asked_pct: brightness_pct, brightness_pct: reached[i] ?? 0 },
            current_a: rounded((draws[i] ?? 0) * share, 3),
          })),
          pixels: pixels.map((rgb, i) => (i === DEAD ? "------" : hexOf(rgb, share))).join(""),
        };
      },
      command(_node, _name, params) {
        const meant = segments.filter(({ name }) => params.segment === undefined || name === params.segment);
        for (const segment of meant) change(segment, params);
        const share = shareOf(wanted().totalA);
        if (share === 1 || typeof params.brightness_pct !== "number") return { ok: true };
        return { ok: true, detail: `${Math.round(params.brightness_pct * share)} %, current budget` };
      },
    };
  },
};

const isRgb = (value: JsonData | undefined): value is Rgb =>
  Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === "number");

const hexOf = (rgb: Rgb, share: number): string =>
  rgb
    .map((one) =>
      Math.round(one * share)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("");

/** What one pixel of a segment shows at this time. */
function pixelOf({ on, brightness_pct, rgb, effect, speed_pct, from, to }: Segment, place: number, atS: number): Rgb {
  const phase = atS * (0.2 + speed_pct / 50);
  const length = to - from + 1;
  const levelOf = (): number => {
    if (effect === "Breathe") return 0.15 + 0.85 * (0.5 + 0.5 * Math.sin(2 * Math.PI * (phase / 4 - place / length)));
    if (effect === "Blink") return phase % 1 < 0.5 ? 1 : 0.05;
    if (effect !== "Chase") return 1;
    const behind = (Math.floor(phase * 8) - place + 8 * length) % length;
    return behind < CHASE_PIXELS ? 1 - behind / CHASE_PIXELS : 0.02;
  };
  const level = on ? (brightness_pct / 100) * levelOf() : 0;
  const shown = effect === "Rainbow" ? rgbOfHue((place / length + phase / 8) % 1) : rgb;
  return shown.map((one) => Math.round(one * level)) as Rgb;
}

const rgbOfHue = (hue: number): Rgb =>
  [0, 1 / 3, 2 / 3].map((at) => {
    const distance = Math.min(Math.abs(hue - at), 1 - Math.abs(hue - at));
    return Math.round(255 * Math.max(0, Math.min(1, 2 - 6 * distance)));
  }) as Rgb;

/** Warm white has less blue, cold white less red. */
const rgbOfKelvin = (kelvin: number): Rgb => {
  const cold = Math.max(0, Math.min(1, (kelvin - 2_000) / 4_600));
  const over = Math.max(0, (kelvin - 6_600) / 2_400);
  return [255 - 40 * over, 140 + 110 * cold, 30 + 215 * cold].map(Math.round) as Rgb;
};
