import type { JsonObject } from "@backplane/contract/panels";
import { type CommandAnswer, noise, rounded, type SimulatedKind } from "../simulator.ts";

const ROOM_C = 25;
const MAX_C = 280;
const MAX_RUN_S = 1_200;
const HEATER_W = 1_500;
const AIR_J_K = 260;
const BOARD_J_K = 90;
const AIR_BOARD_W_K = 4.6;
/** Through the walls, through the fan, and with the lid open. */
const WALL_W_K = 1.9;
const FAN_W_K = 9;
const LID_W_K = 60;
/** The control aims ahead: air and board follow late. */
const AHEAD_S = 4;
const GAIN_PCT_K = 6;
/** Somebody looks into the oven in every third run. */
const LID = { everyRun: 3, fromS: 150, toS: 154 };
const MAX_STEP_S = 0.1;

type Point = { t_s: number; c: number };

function targetAt(profile: readonly Point[], atS: number): number {
  const next = profile.findIndex(({ t_s }) => t_s > atS);
  if (next === 0) return profile[0]?.c ?? ROOM_C;
  const [a, b] = [profile[next - 1], profile[next]];
  if (!a || !b) return profile.at(-1)?.c ?? ROOM_C;
  return a.c + ((b.c - a.c) * (atS - a.t_s)) / (b.t_s - a.t_s);
}

/** Times that grow, with a temperature each; the limits of both were checked by the schema. */
function profileOf({ times_s, temperatures_c }: JsonObject): Point[] | undefined {
  if (!Array.isArray(times_s) || !Array.isArray(temperatures_c)) return undefined;
  if (times_s.length < 2 || times_s.length !== temperatures_c.length) return undefined;
  const points = times_s.map((t_s, i) => ({ t_s: Number(t_s), c: Number(temperatures_c[i]) }));
  return points.every(({ t_s, c }, i) => Number.isFinite(c) && t_s > (points[i - 1]?.t_s ?? -1)) ? points : undefined;
}

const listUpTo = (maximum: number): JsonObject => ({
  ...{ type: "array", minItems: 2, maxItems: 32 },
  items: { type: "number", minimum: 0, maximum },
});

/** A reflow oven: heater, air and board, each later than the one before. */
export const oven: SimulatedKind = {
  kind: "oven",
  name: "Reflow oven",
  model: "T-962",
  description: "A reflow oven that runs a profile; in every third run somebody opens the lid",
  nodes: {
    oven: {
      ...{ name: "Oven", kind: "oven-data", rateHz: 4 },
      fields: {
        board_c: { unit: "°C", min: 0, max: MAX_C },
        air_c: { unit: "°C", min: 0, max: 320 },
        target_c: { unit: "°C", min: 0, max: MAX_C },
        heater_pct: { unit: "%", min: 0, max: 100 },
        fan_pct: { unit: "%", min: 0, max: 100 },
        stage: { type: "string" },
        run: { type: "integer" },
        run_s: { unit: "s" },
        lid_open: { type: "boolean" },
      },
      commands: {
        start: {
          effect: "powers",
          params: { times_s: listUpTo(MAX_RUN_S), temperatures_c: listUpTo(MAX_C) },
        },
        abort: { effect: "none" },
      },
    },
  },
  create(random) {
    let [airC, boardC, heaterPct, fanPct, run, runS] = [ROOM_C, ROOM_C, 0, 0, 0, 0];
    let profile: readonly Point[] | undefined;
    const isLidOpen = () => profile !== undefined && run % LID.everyRun === 0 && runS >= LID.fromS && runS < LID.toS;

    function control(): void {
      if (!profile) {
        [heaterPct, fanPct] = [0, boardC > ROOM_C + 20 ? 100 : 0];
        return;
      }
      const off = targetAt(profile, runS + AHEAD_S) - boardC;
      const feed = 18 + 0.18 * (boardC - ROOM_C);
      heaterPct = Math.max(0, Math.min(100, off > -8 ? feed + GAIN_PCT_K * off : 0));
      fanPct = Math.max(20, Math.min(100, -GAIN_PCT_K * off));
    }

    function heat(seconds: number): void {
      control();
      const toBoard = AIR_BOARD_W_K * (airC - boardC);
      const leak = WALL_W_K + (FAN_W_K * Math.max(0, fanPct - 20)) / 80 + (isLidOpen() ? LID_W_K : 0);
      airC += ((HEATER_W * (heaterPct / 100) - toBoard - leak * (airC - ROOM_C)) * seconds) / AIR_J_K;
      boardC += ((toBoard - 0.1 * (boardC - ROOM_C)) * seconds) / BOARD_J_K;
      if (!profile) return;
      runS += seconds;
      if (runS >= (profile.at(-1)?.t_s ?? 0)) profile = undefined;
    }

    const stage = (): string => {
      if (!profile) return boardC > ROOM_C + 20 ? "cooling" : "idle";
      const peak = profile.reduce((best, point) => (point.c > best.c ? point : best));
      if (runS > peak.t_s + 15) return "cool";
      return boardC < 150 ? "preheat" : boardC < 200 ? "soak" : "reflow";
    };

    return {
      step(seconds) {
        for (let left = seconds; left > 1e-9; left -= MAX_STEP_S) heat(Math.min(left, MAX_STEP_S));
      },
      read: () => ({
        board_c: rounded(boardC + noise(random, 0.05), 1),
        air_c: rounded(airC + noise(random, 0.1), 1),
        target_c: profile ? rounded(targetAt(profile, runS), 1) : null,
        heater_pct: Math.round(heaterPct),
        fan_pct: Math.round(fanPct),
        stage: stage(),
        run: profile ? run : null,
        run_s: profile ? rounded(runS, 1) : null,
        lid_open: isLidOpen(),
      }),
      command(_node, name, params): CommandAnswer {
        if (name === "abort") {
          profile = undefined;
          return { ok: true };
        }
        const wanted = profileOf(params);
        if (!wanted)
          return {
            ok: false,
            code: "out-of-limits",
            detail: "times_s must grow, with one of temperatures_c each.",
          };
        if (profile) return { ok: false, code: "denied", detail: "A run is going on. Abort it first." };
        profile = wanted;
        run += 1;
        runS = 0;
        return { ok: true };
      },
    };
  },
};
