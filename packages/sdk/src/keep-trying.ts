import type { AnswerErrorDetails, BackplaneError } from "./errors.ts";
import type { ApiRequest } from "./request.ts";

/** Sleeps that `wake` can cut short; the signal ends them all. */
export function createSleeper(signal: AbortSignal): Sleeper {
  let wasWoken = false;
  let cutShort = (): void => {};
  return {
    wake() {
      wasWoken = true;
      cutShort();
    },
    async sleep(ms) {
      if (!wasWoken && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = () => {
            clearTimeout(timer);
            signal.removeEventListener("abort", done);
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal.addEventListener("abort", done);
          cutShort = done;
        });
      }
      const isWoken = wasWoken;
      wasWoken = false;
      return isWoken;
    },
  };
}

export type Sleeper = {
  /** True if `wake` cut it short; a `wake` before the sleep counts too. */
  sleep(ms: number): Promise<boolean>;
  wake(): void;
};

export type Trying = {
  mayPass(error: BackplaneError & AnswerErrorDetails): boolean;
  /** When this time is over, the last error is thrown. */
  withinMs: number;
  /** Before the second try; doubled each time. */
  pauseMs: number;
  signal?: AbortSignal | undefined;
};

/** Tries again what failed in a way that may pass, with growing pauses, and after the time that the server asks for. */
export async function keepTrying<Result>(work: () => Promise<Result>, trying: Trying): Promise<Result> {
  const { mayPass, withinMs, signal = new AbortController().signal } = trying;
  const { sleep } = createSleeper(signal);
  const untilMs = Date.now() + withinMs;
  for (let { pauseMs } = trying; ; pauseMs *= 2) {
    try {
      return await work();
    } catch (error) {
      const failure = error as BackplaneError & AnswerErrorDetails;
      const waitMs = Math.max(pauseMs, failure.retryAfterMs ?? 0);
      if (!mayPass(failure) || Date.now() + waitMs > untilMs) throw error;
      await sleep(waitMs);
    }
  }
}

/** Answers which say that nothing was done, because of a restart: of an instance, or of a browser's connection to one. */
const NOTHING_DONE: ReadonlySet<string> = new Set(["not-ready", "browser-timeout"]);
/** What a proxy answers while the instance behind it restarts. */
const OF_A_PROXY: ReadonlySet<number> = new Set([502, 503, 504]);

/** How a connection ends that was open: the instance, or the proxy before it, was stopped. */
const LOST: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** What an answer said; without an answer, the code of the operating system as `cause`. */
export type Failure = Pick<AnswerErrorDetails, "status" | "problemCode" | "cause">;

/** Whether a call that failed like this is made again: only if that cannot do anything twice. */
export function isRepeated(method: ApiRequest["method"], { status = 0, problemCode, cause }: Failure): boolean {
  if (problemCode !== undefined) return NOTHING_DONE.has(problemCode);
  return method === "GET" && (LOST.has(cause) || OF_A_PROXY.has(status));
}
