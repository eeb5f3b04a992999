import type { JsonData } from "@backplane/contract/panels";
import type { Buckets } from "../../parts/plot/envelope.ts";
import type { Range } from "../../parts/plot/range.ts";
import type { Track } from "../../parts/plot/track.ts";
import type { Measured } from "./reflow.ts";

export type Run = { number: number; startMs: number; board: Measured[]; air: Measured[] };

type Row = { tMs: number; run: number; runS: number; board: number; air: number };
export type Past = (field: string) => Buckets | undefined;

export const MAX_RUNS = 20;
const MAX_POINTS = 4_000;
/** A mean over a bucket in which a run began is of neither run. */
const isWhole = (run: number): boolean => Number.isInteger(run);

function* rowsOf(track: Track, past: Past, [fromMs, toMs]: Range): Generator<Row> {
  const runs = past("run");
  const untilMs = track.next > track.first ? Math.min(toMs, track.timeAt(track.first)) : toMs;
  for (const [i, t] of runs?.tMs.entries() ?? []) {
    const of = (field: string) => past(field)?.mean[i] ?? Number.NaN;
    if (t >= fromMs && t < untilMs)
      yield { tMs: t, run: of("run"), runS: of("run_s"), board: of("board_c"), air: of("air_c") };
  }
  for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= toMs; sample += 1) {
    const of = (field: string) => track.valueAt(field, sample);
    yield { tMs: track.timeAt(sample), run: of("run"), runS: of("run_s"), board: of("board_c"), air: of("air_c") };
  }
}

/** The runs of these times, the oldest first: from what is in memory, and before that from the history. */
export function runsOf(track: Track, past: Past, times: Range): Run[] {
  const runs = new Map<number, Run>();
  for (const { tMs, run: number, runS, board, air } of rowsOf(track, past, times)) {
    if (!isWhole(number)) continue;
    const run = runs.get(number) ?? {
      number,
      startMs: Number.isNaN(runS) ? tMs : tMs - runS * 1_000,
      board: [],
      air: [],
    };
    runs.set(number, run);
    const s = Number.isNaN(runS) ? (tMs - run.startMs) / 1_000 : runS;
    if (!Number.isNaN(board) && run.board.length < MAX_POINTS) run.board.push({ s, c: board });
    if (!Number.isNaN(air) && run.air.length < MAX_POINTS) run.air.push({ s, c: air });
  }
  return [...runs.values()].sort((a, b) => a.startMs - b.startMs).slice(-MAX_RUNS);
}

/** The earlier runs that the newest one is laid over: those that were chosen, or all. */
export const comparedOf = (earlier: readonly Run[], chosen: JsonData | undefined): Run[] =>
  earlier.filter(({ number }) => !Array.isArray(chosen) || chosen.includes(number));
