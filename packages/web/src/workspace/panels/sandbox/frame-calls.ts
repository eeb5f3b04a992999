import {
  type EvalEnding,
  type EvalLog,
  type FrameToPage,
  type JsonData,
  PANELS_LIMITS,
  type PageToFrame,
  type SandboxCondition,
  stoppedAfter,
} from "@backplane/contract/panels";
import { browserTimer, type SetTimer } from "../../live/environment.ts";

/** The part of a `MessagePort` that is used. */
type CallPort = { postMessage(message: PageToFrame): void };

export type Outcome =
  | { status: "executed"; json: string | undefined; text: string; logs: EvalLog[]; durationMs: number }
  | {
      status: "error";
      error: string;
      logs: EvalLog[];
      durationMs: number | undefined;
      /** Undefined: it did not run. */
      ended: Exclude<EvalEnding, "executed"> | undefined;
    };

export const endingOf = (outcome: Outcome): EvalEnding | undefined =>
  outcome.status === "executed" ? "executed" : outcome.ended;

type FrameCallsOptions = {
  port: CallPort;
  /** What people reset when it hangs. */
  where?: "sandbox" | "panel";
  onCondition(condition: SandboxCondition): void;
  /** Output of any code, also of code whose call has ended. */
  onLog(log: EvalLog): void;
  setTimer?: SetTimer;
  now?: () => number;
};

/** A frame that does not answer within this time is stuck in code that does not end. */
const PONG_WITHIN_MS = 250;
/** How long the word that code has begun may be on its way. */
const BEGUN_WITHIN_MS = 250;
const PICTURE_WITHIN_MS = 10_000;
/** All logs of one call together. */
const MAX_LOG_CHARACTERS = 32_000;

export const stuckWords = (where = "sandbox"): string =>
  `The ${where} does not answer: code of an earlier call did not finish. Reset it to continue.`;
export const stillWaiting = (ms: number, where = "sandbox"): string =>
  `Stopped waiting after ${ms / 1_000} s: the promise is still pending. The code keeps running in the ${where}.`;

type Call = {
  logs: EvalLog[];
  logCharacters: number;
  hasBegun: boolean;
  isWaiting: boolean;
  end(outcome: Outcome): void;
};

/** Callers send code again only if they know that it did not run. */
export const notRun = (why: string): Outcome => ({
  ...{ status: "error", error: `The code did not run. ${why}`, logs: [], durationMs: undefined, ended: undefined },
});

/** Calls into one frame. The time limits are kept here, because code in an endless loop cannot keep any. */
export class FrameCalls {
  readonly #options: FrameCallsOptions;
  readonly #setTimer: SetTimer;
  readonly #now: () => number;
  readonly #calls = new Map<number, Call>();
  /** Set: the frame shares the thread of this page, and code may keep it for this time. */
  maxBlockMs: number | undefined;
  readonly #pictures = new Map<number, (bytes: ArrayBuffer | Error) => void>();
  #lastId = 0;
  #isStuck = false;
  #closedBecause: string | undefined;
  #cancelPing: (() => void) | undefined;

  constructor(options: FrameCallsOptions) {
    this.#options = options;
    this.#setTimer = options.setTimer ?? browserTimer;
    this.#now = options.now ?? Date.now;
  }

  /** The frame does not begin code after `untilMs`, nor after this has answered for it. */
  run(code: string, isPrepared: boolean, timeoutMs: number, untilMs: number): Promise<Outcome> {
    const refused = this.#closedBecause ?? (this.#isStuck ? stuckWords(this.#options.where) : undefined);
    if (refused !== undefined) return Promise.resolve(notRun(refused));
    const id = this.#nextId();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const { where } = this.#options;
    const overdue = () => {
      const error = call.isWaiting ? stillWaiting(timeoutMs, where) : stoppedAfter(timeoutMs, where);
      const ended = call.isWaiting ? "pending" : "stopped";
      const stopped: Outcome = { status: "error", error, logs: call.logs, durationMs: timeoutMs, ended };
      call.end(call.hasBegun ? stopped : notRun(stuckWords(this.#options.where)));
      this.#ping();
    };
    let cancel = this.#setTimer(() => {
      if (call.hasBegun) overdue();
      else cancel = this.#setTimer(overdue, BEGUN_WITHIN_MS);
    }, timeoutMs);
    const call: Call = {
      ...{ logs: [], logCharacters: 0, hasBegun: false, isWaiting: false },
      end: (outcome) => {
        cancel();
        this.#calls.delete(id);
        resolve(outcome);
      },
    };
    this.#calls.set(id, call);
    const beginUntilMs = Math.min(untilMs, this.#now() + timeoutMs);
    const maxBlockMs = this.maxBlockMs === undefined ? null : Math.min(this.maxBlockMs, timeoutMs);
    this.#options.port.postMessage({ type: "eval", id, code, isPrepared, untilMs: beginUntilMs, maxBlockMs });
    return promise;
  }

  rasterise(background: string): Promise<ArrayBuffer> {
    const refused = this.#closedBecause ?? (this.#isStuck ? stuckWords(this.#options.where) : undefined);
    if (refused !== undefined) return Promise.reject(new Error(refused));
    const id = this.#nextId();
    const { promise, resolve, reject } = Promise.withResolvers<ArrayBuffer>();
    const end = (drawn: ArrayBuffer | Error) => {
      cancel();
      this.#pictures.delete(id);
      if (drawn instanceof Error) reject(drawn);
      else resolve(drawn);
    };
    const cancel = this.#setTimer(() => end(new Error("The sandbox did not draw in time.")), PICTURE_WITHIN_MS);
    this.#pictures.set(id, end);
    this.#options.port.postMessage({ type: "rasterise", id, background });
    return promise;
  }

  receive(message: Exclude<FrameToPage, { type: "ready" | "block-begun" | "block-ended" }>): void {
    if (message.type === "pong") this.#receivePong();
    else if (message.type === "picture") this.#pictures.get(message.id)?.(message.bytes);
    else if (message.type === "no-picture") this.#pictures.get(message.id)?.(new Error(message.error));
    else if (message.type === "log") this.#receiveLog(message.id, { level: message.level, text: message.text });
    else this.#receiveOutcome(message);
  }

  #receiveLog(id: number | null, log: EvalLog): void {
    const call = id === null ? undefined : this.#calls.get(id);
    if (call) keepLog(call, log);
    this.#options.onLog(log);
  }

  #receiveOutcome(message: Extract<FrameToPage, { type: "begun" | "waiting" | "executed" | "failed" }>): void {
    const call = this.#calls.get(message.id);
    if (!call) return;
    if (message.type === "begun") call.hasBegun = true;
    else if (message.type === "waiting") call.isWaiting = true;
    else if (message.type === "executed") {
      const { json, text, durationMs } = message;
      call.end({ status: "executed", json, text, logs: call.logs, durationMs });
    } else {
      const { error, durationMs } = message;
      const wasCut = this.maxBlockMs !== undefined && durationMs >= this.maxBlockMs;
      call.end({ status: "error", error, logs: call.logs, durationMs, ended: wasCut ? "stopped" : "threw" });
    }
  }

  /** Everything that runs, and everything that is asked later, fails for this reason. */
  close(reason: string): void {
    if (this.#closedBecause !== undefined) return;
    this.#closedBecause = reason;
    this.#cancelPing?.();
    this.#cancelPing = undefined;
    for (const { logs, hasBegun, end } of [...this.#calls.values()]) {
      const cut: Outcome = { status: "error", error: reason, logs, durationMs: undefined, ended: "stopped" };
      end(hasBegun ? cut : notRun(reason));
    }
    this.#failPictures(reason);
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Asks the frame whether it still answers. */
  #ping(): void {
    if (this.#cancelPing || this.#closedBecause !== undefined) return;
    this.#options.port.postMessage({ type: "ping", id: this.#nextId() });
    this.#cancelPing = this.#setTimer(() => {
      this.#cancelPing = undefined;
      this.#isStuck = true;
      this.#options.onCondition("stuck");
      // Not the calls: they may end, or begin, when the frame answers again. Each has its own time limit.
      this.#failPictures(stuckWords(this.#options.where));
    }, PONG_WITHIN_MS);
  }

  #receivePong(): void {
    this.#cancelPing?.();
    this.#cancelPing = undefined;
    if (!this.#isStuck || this.#closedBecause !== undefined) return;
    this.#isStuck = false;
    this.#options.onCondition("ready");
  }

  #failPictures(error: string): void {
    for (const end of [...this.#pictures.values()]) end(new Error(error));
  }
}

function keepLog(call: Call, log: EvalLog): void {
  const isFull = call.logs.length >= PANELS_LIMITS.maxLogs;
  if (isFull || call.logCharacters + log.text.length > MAX_LOG_CHARACTERS) return;
  call.logCharacters += log.text.length;
  call.logs.push(log);
}

/** The answer that a program gets. */
export function answerOf(outcome: Outcome): { [key: string]: JsonData } {
  const more = {
    ...(outcome.logs.length > 0 ? { logs: outcome.logs } : {}),
    ...(outcome.durationMs === undefined ? {} : { durationMs: Math.round(outcome.durationMs * 100) / 100 }),
  };
  if (outcome.status === "error") return { status: "error", error: outcome.error, ...more };
  return { status: "executed", ...(outcome.json === undefined ? {} : { result: JSON.parse(outcome.json) }), ...more };
}

const LEVELS: ReadonlySet<unknown> = new Set<EvalLog["level"]>(["log", "info", "warn", "error", "debug"]);
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === "string";

type Loose = { [key: string]: unknown };

/**
 * A message from the frame's port, if it is valid. Our code in the frame keeps the port to itself, but shares its window
 * with code of anybody: no type is taken for granted.
 */
export function readFrameMessage(data: unknown): FrameToPage | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const message = data as Loose;
  return isMessage(message) ? (message as FrameToPage) : undefined;
}

function isMessage({ type, id, json, text, durationMs, error, level, bytes, atMs }: Loose): boolean {
  switch (type) {
    case "ready":
    case "block-begun":
      return true;
    case "block-ended":
      return isNumber(atMs);
    case "pong":
    case "begun":
    case "waiting":
      return isNumber(id);
    case "log":
      return (id === null || isNumber(id)) && LEVELS.has(level) && isText(text);
    case "executed":
      return isNumber(id) && (json === undefined || isText(json)) && isText(text) && isNumber(durationMs);
    case "failed":
      return isNumber(id) && isText(error) && isNumber(durationMs);
    case "picture":
      return isNumber(id) && bytes instanceof ArrayBuffer;
    case "no-picture":
      return isNumber(id) && isText(error);
    default:
      return false;
  }
}
