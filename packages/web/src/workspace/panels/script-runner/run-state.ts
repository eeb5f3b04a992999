import { type EvalLog, PANELS_LIMITS } from "@backplane/contract/panels";
import type { Tone } from "../../../parts/state.tsx";
import { appendLines, durationWords } from "../output-lines.ts";

export type OutputLine = { key: number; level: EvalLog["level"] | "result" | "fault"; text: string; at: Date };

export type RunState = {
  phase: "idle" | "running" | "done" | "failed" | "stopped";
  path: string | undefined;
  startedAt: Date | undefined;
  tookMs: number | undefined;
  lines: readonly OutputLine[];
  /** The number of earlier lines that are not kept. */
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

const OUTPUT_LIMITS = { maxLines: 2_000, maxLength: 10_000 } as const;
/** The frame passes on this many lines of a run, and drops the others. */
const { maxLogs } = PANELS_LIMITS;

export type RunEvent =
  | { type: "started"; path: string; at: Date }
  | { type: "printed"; level: EvalLog["level"]; text: string; at: Date }
  | { type: "ended"; outcome: "done" | "failed" | "stopped"; text: string; at: Date; tookMs: number | undefined };

/** The output stays until the next run; the oldest lines go first. */
export function afterEvent(state: RunState, event: RunEvent): RunState {
  if (event.type === "started") return { ...IDLE, phase: "running", path: event.path, startedAt: event.at };
  if (event.type === "printed") {
    const next = add(state, event.level, event.text, event.at);
    const isLast = next.phase === "running" && next.lines.length === maxLogs;
    return isLast
      ? add(next, "warn", `Output after ${maxLogs} lines is not shown until the script ends.`, event.at)
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
  const lines = appendLines(state.lines, [{ level, text, at }], OUTPUT_LIMITS);
  return { ...state, lines, dropped: state.dropped + state.lines.length + 1 - lines.length };
}

/** The frame reports a syntax error twice: the first time without its line number. */
function withoutRepeat(state: RunState, fault: string): RunState {
  const last = state.lines.at(-1);
  const isRepeat = last?.level === "error" && fault.startsWith(last.text);
  return isRepeat ? { ...state, lines: state.lines.slice(0, -1) } : state;
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
