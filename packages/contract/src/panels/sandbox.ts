import { type Static, Type } from "typebox";
import { JSON_DATA, nullable, PANEL, SET_HEADER_HIDDEN } from "./common.ts";
import { PANELS_LIMITS } from "./limits.ts";

/** PATCH /api/panels/sandbox/{owner}/{repo} */
export const SandboxAction = Type.Union([
  Type.Object({
    ...PANEL,
    action: Type.Literal("eval"),
    code: Type.String({ maxLength: PANELS_LIMITS.maxCodeBytes }),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 50, maximum: PANELS_LIMITS.maxEvalTimeoutMs })),
  }),
  Type.Object({ ...PANEL, action: Type.Literal("reset") }),
  SET_HEADER_HIDDEN,
]);
export type SandboxAction = Static<typeof SandboxAction>;

/** One line that the code printed. */
export const EvalLog = Type.Object({
  level: Type.Enum(["log", "info", "warn", "error", "debug"]),
  text: Type.String(),
});
export type EvalLog = Static<typeof EvalLog>;
const EVAL_OUTPUT = { logs: Type.Optional(Type.Array(EvalLog)), durationMs: Type.Optional(Type.Number()) };
const EXECUTED = { status: Type.Literal("executed"), result: Type.Optional(JSON_DATA), ...EVAL_OUTPUT };
const FAILED = { status: Type.Literal("error"), error: Type.String(), ...EVAL_OUTPUT };
const QUEUED = { status: Type.Literal("queued"), id: Type.String() };
/** What an eval that ran ended with. */
export const RunResult = Type.Union([Type.Object(EXECUTED), Type.Object(FAILED)]);
export type RunResult = Static<typeof RunResult>;
export const EvalResult = Type.Union([...RunResult.anyOf, Type.Object(QUEUED)]);
export type EvalResult = Static<typeof EvalResult>;
/** GET …/evals/{id} */
export const EvalReport = Type.Union([
  Type.Object({ id: Type.String(), ...EXECUTED }),
  Type.Object({ id: Type.String(), ...FAILED }),
  Type.Object(QUEUED),
]);
export type EvalReport = Static<typeof EvalReport>;

/**
 * How code that ran ended. pending: the promise that it returned was not settled in time; stopped: it did not end in time,
 * or left its page.
 */
export const EvalEnding = Type.Enum(["executed", "threw", "pending", "stopped"]);
export type EvalEnding = Static<typeof EvalEnding>;
/** What a page adds to the result of code that ran in its frame. Callers do not get it. */
export const EvalRun = Type.Object({
  /** Of this run, made by the page. */
  id: Type.String({ minLength: 1, maxLength: 64 }),
  generation: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  ended: EvalEnding,
});
export type EvalRun = Static<typeof EvalRun>;
/** GET /api/panels/sandbox/{owner}/{repo}/journal?panelId= */
export const SandboxJournal = Type.Object({
  generation: Type.Integer(),
  isWhole: Type.Boolean({ description: "False: more code ran than is kept, or too long ago, and `evals` is empty" }),
  evals: Type.Array(
    Type.Object({ id: Type.String(), code: Type.String(), isPrepared: Type.Boolean(), ended: EvalEnding }),
    { description: "Code that ran in this generation, in order, as its frame runs it" },
  ),
});
export type SandboxJournal = Static<typeof SandboxJournal>;
export type JournalEval = SandboxJournal["evals"][number];

/** stuck: code of an earlier call does not end; gone: the code has left its document. A reset helps with both. */
export const SandboxCondition = Type.Enum(["loading", "ready", "stuck", "gone"]);
export type SandboxCondition = Static<typeof SandboxCondition>;
/** GET /api/panels/sandbox/{owner}/{repo}?panelId= */
export const SandboxReport = Type.Object({
  panelId: Type.String(),
  tabId: Type.String(),
  headerHidden: Type.Boolean(),
  generation: Type.Integer(),
  live: Type.Boolean({ description: "Whether a browser shows it now, and so runs code at once" }),
  standing: nullable(SandboxCondition),
  queued: Type.Integer(),
});
export type SandboxReport = Static<typeof SandboxReport>;

/** Limits that the frame of a sandbox keeps, and the page relies on. */
export type FrameBounds = {
  maxLogs: number;
  /** Output that does not belong to a call. */
  maxLogsPerSecond: number;
  maxLogLength: number;
  maxResultBytes: number;
  maxErrorLength: number;
  /** Code that has not ended after this time is reported as waiting for a promise. */
  waitingAfterMs: number;
};

/** From the page to the code's frame, over their port. */
export type PageToFrame =
  /** Not begun after `untilMs` (epoch ms): the page has answered for it then. */
  | {
      type: "eval";
      id: number;
      code: string;
      isPrepared: boolean;
      untilMs: number;
      /** How long the code may keep the thread, where it shares the page's; null where it does not. */
      maxBlockMs: number | null;
    }
  | { type: "ping"; id: number }
  /** Keeps the frame's thread busy for this time. */
  | { type: "block"; blockMs: number }
  /** `background`: the colour where the page draws nothing. */
  | { type: "rasterise"; id: number; background: string };

export type FrameToPage =
  | { type: "ready" }
  | { type: "pong"; id: number }
  | { type: "block-begun" }
  /** Epoch ms. */
  | { type: "block-ended"; atMs: number }
  /** The code begins to run. */
  | { type: "begun"; id: number }
  /** The code has run; the promise that it returned is still pending. */
  | { type: "waiting"; id: number }
  /** `id`: the call it belongs to, if there is one. */
  | { type: "log"; id: number | null; level: EvalLog["level"]; text: string }
  | {
      type: "executed";
      id: number;
      /** Absent: undefined. */
      json?: string;
      /** As a console shows it. */
      text: string;
      durationMs: number;
    }
  | { type: "failed"; id: number; error: string; durationMs: number }
  | { type: "picture"; id: number; bytes: ArrayBuffer }
  | { type: "no-picture"; id: number; error: string };

/** Between the page and the outer document, which hands on the port and otherwise only watches. */
export type OuterToPage = { type: "sandbox-loaded" } | { type: "sandbox-gone" };
export type PageToOuter = { type: "sandbox-port" };

/** What code calls in every loop and function, where its frame shares the page's thread. */
export const GUARD_NAME = "backplaneGuard";

/** The error of code that ran and did not end in time. */
export const stoppedAfter = (timeoutMs: number, where = "sandbox"): string =>
  `Stopped after ${timeoutMs / 1_000} s: the code did not finish. Reset the ${where} to continue.`;
