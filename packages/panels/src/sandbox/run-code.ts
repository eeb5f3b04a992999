import {
  type EvalLog,
  type EvalResult,
  EvalRun,
  type JsonData,
  type OrderFault,
  PANELS_LIMITS,
  type RunResult,
} from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { fits } from "@backplane/kit/schemas";
import type { Live } from "../services.ts";
import type { Journal } from "./journal.ts";
import { prepareCode } from "./prepare/prepare-code.ts";

export type Evaluated = { result: EvalResult; text: string };

/** Runs code now if a browser shows the panel; else queues it until one does, behind earlier code. */
export async function evaluate(
  browser: Browser,
  queue: Queue,
  run: Run,
  onResult: (result: RunResult) => void,
): Promise<Evaluated> {
  if (queue.isWaiting(run)) return enqueue(queue, run);
  const ran = await runInBrowser(browser, run);
  switch (ran.kind) {
    case "done":
      onResult(ran.result);
      return ran;
    case "no-panel":
      return enqueue(queue, run);
    case "unknown":
      throw outcomeUnknown();
    case "busy":
      throw new Problem("browser-busy", {
        detail: "The browser is at its limit of running evals. Try again shortly.",
        headers: { "retry-after": "1" },
      });
  }
}

/** Never "error": that would say that the code ran. */
export const outcomeUnknown = (): Problem =>
  new Problem("outcome-unknown", {
    detail:
      "The browser did not answer in time. The code may have run, or may still run. Look before you send it again.",
  });

/** Syntax errors are answered now, not when a browser opens. */
async function enqueue(queue: Queue, run: Run): Promise<Evaluated> {
  const prepared = prepareCode(run.code);
  if (!prepared.ok) return withText({ status: "error", error: prepared.error });
  const result: EvalResult = { status: "queued", id: await queue.add(run) };
  return { result, text: JSON.stringify(result) };
}

/** The browser enforces the timeout itself; the server does so only if no answer comes within this time after it. */
const GRACE_MS = 5_000;

export type Run = { workspaceId: string; tabId: string; code: string; timeoutMs: number };

/** What runs code, and what keeps it once it ran. */
export type Browser = { live: Pick<Live, "ask">; journal: Pick<Journal, "note"> };

/** Where code waits that no browser can run now. */
type Queue = { isWaiting(run: Run): boolean; add(run: Run): Promise<string> };

export type Ran =
  | { kind: "done"; result: RunResult; text: string }
  /** It was not run, and can be run later. */
  | { kind: "no-panel" }
  | { kind: "unknown" }
  | { kind: "busy" };

const NOT_HERE: ReadonlySet<OrderFault> = new Set(["not-mounted", "tab-unknown", "expired"]);

/** Runs code in the browser that answers for the workspace. */
export async function runInBrowser({ live, journal }: Browser, run: Run): Promise<Ran> {
  const { workspaceId, tabId, code, timeoutMs } = run;
  const prepared = prepareCode(code);
  if (!prepared.ok) return { kind: "done", ...withText({ status: "error", error: prepared.error }) };
  const answer = await live.ask(
    workspaceId,
    { kind: "eval", tabId, code: prepared.code, isPrepared: prepared.isPrepared, timeoutMs },
    { timeoutMs: timeoutMs + GRACE_MS },
  );
  if (answer.ok) {
    const { ran } = (answer.value ?? {}) as { ran?: unknown };
    // Before the answer: what a caller knows to have run is there after a reload.
    if (fits(EvalRun, ran)) await journal.note(run, code, ran);
    return { kind: "done", ...checkResult(answer.value) };
  }
  switch (answer.reason) {
    case "no-browser":
    case "unreached":
      return { kind: "no-panel" };
    case "unknown":
    case "busy":
      return { kind: answer.reason };
    case "refused":
      if (NOT_HERE.has(answer.code)) return { kind: "no-panel" };
      return { kind: "done", ...withText({ status: "error", error: answer.detail }) };
  }
}

/** A browser's answer if it is a valid result, and the JSON text that is sent to the caller. */
function checkResult(value: JsonData): { result: RunResult; text: string } {
  const result = readResult(value);
  const text = JSON.stringify(result);
  // No character takes more than three bytes: most results need no counting.
  const isTooLong =
    text.length * 3 > PANELS_LIMITS.maxResultBytes && Buffer.byteLength(text) > PANELS_LIMITS.maxResultBytes;
  if (!isTooLong) return { result, text };
  const error = `The result is longer than ${PANELS_LIMITS.maxResultBytes} bytes. Return less of it.`;
  return withText({ status: "error", error });
}

const withText = (result: RunResult): { result: RunResult; text: string } => ({
  result,
  text: JSON.stringify(result),
});

function readResult(value: JsonData): RunResult {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const more = {
      ...(Array.isArray(value.logs) && value.logs.length > 0 ? { logs: value.logs as EvalLog[] } : {}),
      ...(typeof value.durationMs === "number" ? { durationMs: value.durationMs } : {}),
    };
    if (value.status === "executed") {
      return { status: "executed", ...(value.result === undefined ? {} : { result: value.result }), ...more };
    }
    if (value.status === "error" && typeof value.error === "string") {
      return { status: "error", error: value.error, ...more };
    }
  }
  return { status: "error", error: "The browser's answer is not a result. Reload its page." };
}
