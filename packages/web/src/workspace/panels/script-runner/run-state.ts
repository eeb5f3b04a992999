import { type EvalLog, PANELS_LIMITS } from "@backplane/contract/panels";
import type { Tone } from "../../../parts/state.tsx";

export type OutputLine = { key: number; level: EvalLog["level"] | "result" | "fault"; text: string; at: Date };

export type RunState = {
  phase: "idle" | "running" | "done" | "failed" | "stopped";
  path: string | undefined;
  startedAt: Date | undefined;
  tookMs: number | undefined;
  lines: readonly OutputLine[];
  /** Lines that were dropped from the front. */
  dropped: number;
};

export const IDLE: RunState = {
  phase: "idle",
  path: undefined,
  startedAt: undefined,
  tookMs: undefined,
  lines: [],
  dropped: 0,
};

const MAX_LINES = 2_000;
/** The frame passes on this many lines of a run, and drops the others. */
const { maxLogs } = PANELS_LIMITS;
const MAX_LINE_CHARACTERS = 10_000;

export type RunEvent =
  | { type: "started"; path: string; at: Date }
  | { type: "said"; level: EvalLog["level"]; text: string; at: Date }
  | { type: "ended"; outcome: "done" | "failed" | "stopped"; text: string; at: Date; tookMs: number | undefined };

/** What was said stays until the next run; the oldest lines go first. */
export function afterEvent(state: RunState, event: RunEvent): RunState {
  if (event.type === "started") return { ...IDLE, phase: "running", path: event.path, startedAt: event.at };
  if (event.type === "said") {
    const next = add(state, event.level, event.text, event.at);
    const isLast = next.phase === "running" && next.lines.length === maxLogs;
    return isLast
      ? add(next, "warn", `More lines are not shown until the script ends: a run shows ${maxLogs}.`, event.at)
      : next;
  }
  if (state.phase !== "running") return state;
  const tookMs = event.tookMs ?? event.at.getTime() - (state.startedAt?.getTime() ?? event.at.getTime());
  const ended: RunState = { ...state, phase: event.outcome, tookMs };
  if (event.outcome === "stopped" || event.text === "") return ended;
  const isFault = event.outcome === "failed";
  return add(isFault ? withoutRepeat(ended, event.text) : ended, isFault ? "fault" : "result", event.text, event.at);
}

function add(state: RunState, level: OutputLine["level"], text: string, at: Date): RunState {
  const shown = text.length > MAX_LINE_CHARACTERS ? `${text.slice(0, MAX_LINE_CHARACTERS)}…` : text;
  const key = (state.lines.at(-1)?.key ?? 0) + 1;
  const lines = [...state.lines, { key, level, text: shown, at }];
  const over = Math.max(0, lines.length - MAX_LINES);
  return { ...state, lines: lines.slice(over), dropped: state.dropped + over };
}

/** To find the line of a fault of syntax the frame reports it twice, the first time without the line. */
function withoutRepeat(state: RunState, fault: string): RunState {
  const last = state.lines.at(-1);
  const isRepeat = last?.level === "error" && fault.startsWith(last.text);
  return isRepeat ? { ...state, lines: state.lines.slice(0, -1) } : state;
}

/** 1.9 ms, 240 ms, 3.2 s, 4 min 10 s */
export function durationWords(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}

const WORDS: Record<RunState["phase"], [tone: Tone, word: string]> = {
  idle: ["off", "Not run yet"],
  running: ["warn", "Running"],
  done: ["ok", "Finished"],
  failed: ["danger", "Failed"],
  stopped: ["off", "Stopped"],
};

export function stateWords({ phase, tookMs }: RunState): { tone: Tone; word: string } {
  const [tone, word] = WORDS[phase];
  const hasEnded = phase !== "running" && tookMs !== undefined;
  return { tone, word: hasEnded ? `${word} ${phase === "done" ? "in" : "after"} ${durationWords(tookMs)}` : word };
}
