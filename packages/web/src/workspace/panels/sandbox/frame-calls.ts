import {
  type EvalLog,
  type FrameToPage,
  type JsonData,
  PANELS_LIMITS,
  type PageToFrame,
  type SandboxCondition,
} from "@backplane/contract/panels";

/** What a frame's port is here; a `MessagePort` is one. */
type CallPort = { postMessage(message: PageToFrame): void };

export type Outcome =
  | { status: "executed"; json: string | undefined; text: string; logs: EvalLog[]; durationMs: number }
  | { status: "error"; error: string; logs: EvalLog[]; durationMs: number | undefined };

type FrameCallsOptions = {
  port: CallPort;
  onStanding(standing: SandboxCondition): void;
  /** Output, of a call or of none. */
  onLog(log: EvalLog): void;
  setTimer?: (run: () => void, afterMs: number) => () => void;
};

/** A frame that does not answer within this time is busy with code that does not end. */
const PONG_WITHIN_MS = 250;
const PICTURE_WITHIN_MS = 10_000;
/** Of all logs of one call together. */
const MAX_LOG_CHARACTERS = 32_000;

export const STUCK = "The sandbox does not answer: code of an earlier call did not finish. Reset it to go on.";
const seconds = (ms: number): string => `${ms / 1_000} s`;
export const stoppedAfter = (ms: number): string =>
  `Stopped after ${seconds(ms)}: the code did not finish. Reset the sandbox to go on.`;
export const stillWaiting = (ms: number): string =>
  `Stopped waiting after ${seconds(ms)}: the promise is still open. The code goes on in the sandbox.`;

const realTimer = (run: () => void, afterMs: number): (() => void) => {
  const timer = setTimeout(run, afterMs);
  return () => clearTimeout(timer);
};

type Pending = {
  logs: EvalLog[];
  logCharacters: number;
  isWaiting: boolean;
  end(outcome: Outcome): void;
};

/** Calls into one frame. Time is kept here: code that loops can keep none. */
export function createFrameCalls({ port, onStanding, onLog, setTimer = realTimer }: FrameCallsOptions) {
  const pending = new Map<number, Pending>();
  const pictures = new Map<number, (bytes: ArrayBuffer | Error) => void>();
  let lastId = 0;
  let isStuck = false;
  let over: string | undefined;
  let cancelPing: (() => void) | undefined;

  const failure = (error: string): Outcome => ({ status: "error", error, logs: [], durationMs: undefined });

  function failAll(error: string): void {
    for (const call of [...pending.values()]) call.end({ ...failure(error), logs: call.logs });
    for (const [id, done] of [...pictures]) {
      pictures.delete(id);
      done(new Error(error));
    }
  }

  function ping(): void {
    if (cancelPing || over !== undefined) return;
    lastId += 1;
    port.postMessage({ type: "ping", id: lastId });
    cancelPing = setTimer(() => {
      cancelPing = undefined;
      isStuck = true;
      onStanding("stuck");
      failAll(STUCK);
    }, PONG_WITHIN_MS);
  }

  function hearPong(): void {
    cancelPing?.();
    cancelPing = undefined;
    if (!isStuck || over !== undefined) return;
    isStuck = false;
    onStanding("ready");
  }

  function keepLog(call: Pending, log: EvalLog): void {
    if (call.logs.length >= PANELS_LIMITS.maxLogs || call.logCharacters + log.text.length > MAX_LOG_CHARACTERS) return;
    call.logCharacters += log.text.length;
    call.logs.push(log);
  }

  return {
    run(code: string, isPrepared: boolean, timeoutMs: number): Promise<Outcome> {
      if (over !== undefined) return Promise.resolve(failure(over));
      if (isStuck) return Promise.resolve(failure(STUCK));
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        const cancel = setTimer(() => {
          const error = call.isWaiting ? stillWaiting(timeoutMs) : stoppedAfter(timeoutMs);
          call.end({ status: "error", error, logs: call.logs, durationMs: timeoutMs });
          ping();
        }, timeoutMs);
        const call: Pending = {
          ...{ logs: [], logCharacters: 0, isWaiting: false },
          end(outcome) {
            cancel();
            pending.delete(id);
            resolve(outcome);
          },
        };
        pending.set(id, call);
        port.postMessage({ type: "eval", id, code, isPrepared });
      });
    },

    rasterise(background: string): Promise<ArrayBuffer> {
      if (over !== undefined || isStuck) return Promise.reject(new Error(over ?? STUCK));
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        const cancel = setTimer(
          () => pictures.get(id)?.(new Error("The sandbox did not draw in time.")),
          PICTURE_WITHIN_MS,
        );
        pictures.set(id, (drawn) => {
          cancel();
          pictures.delete(id);
          if (drawn instanceof Error) reject(drawn);
          else resolve(drawn);
        });
        port.postMessage({ type: "rasterise", id, background });
      });
    },

    hear(message: FrameToPage): void {
      switch (message.type) {
        case "pong":
          hearPong();
          break;
        case "waiting": {
          const call = pending.get(message.id);
          if (call) call.isWaiting = true;
          break;
        }
        case "log": {
          const { id, level, text } = message;
          const call = id === null ? undefined : pending.get(id);
          if (call) keepLog(call, { level, text });
          onLog({ level, text });
          break;
        }
        case "executed": {
          const { json, text, durationMs } = message;
          const call = pending.get(message.id);
          call?.end({ status: "executed", json, text, logs: call.logs, durationMs });
          break;
        }
        case "failed": {
          const { error, durationMs } = message;
          const call = pending.get(message.id);
          call?.end({ status: "error", error, logs: call.logs, durationMs });
          break;
        }
        case "picture":
          pictures.get(message.id)?.(message.bytes);
          break;
        case "no-picture":
          pictures.get(message.id)?.(new Error(message.error));
          break;
        default:
      }
    },

    /** What is under way, and whatever comes later, fails with this. */
    close(reason: string): void {
      if (over !== undefined) return;
      over = reason;
      cancelPing?.();
      cancelPing = undefined;
      failAll(reason);
    },
  };
}

/** What a program is answered. */
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
 * What the port of a frame brought, if it is a message. The frame's own code keeps the port to itself, but it shares its
 * window with code of anybody: nothing is believed to be of its type.
 */
export function readFrameMessage(data: unknown): FrameToPage | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const said = data as Loose;
  return isMessage(said) ? (said as FrameToPage) : undefined;
}

function isMessage({ type, id, json, text, durationMs, error, level, bytes }: Loose): boolean {
  switch (type) {
    case "ready":
      return true;
    case "pong":
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
