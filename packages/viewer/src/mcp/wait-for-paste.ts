import type { Paste, PasteWithText } from "@backplane/contract/viewer";
import type { ServerContext } from "@modelcontextprotocol/server";
import type { ViewerAccess } from "../services.ts";
import type { McpLimits } from "./limits.ts";

export type Waiting = {
  access: Pick<ViewerAccess, "next" | "named">;
  seconds: number;
  /** Aborts when the caller leaves or cancels, or the server stops. */
  signal: AbortSignal;
  progress: Progress;
  limits: Pick<McpLimits, "progressEveryMs" | "namedWithinMs">;
};

/** Waits for the next screenshot and its name. Undefined if none comes in time. Rejects when the signal aborts. */
export async function nextPaste(waiting: Waiting): Promise<PasteWithText | undefined> {
  const { access, signal, progress, limits } = waiting;
  const paste = await nextSaved(waiting);
  if (paste === undefined) return undefined;
  progress.say(`Saved as ${paste.optimized.path}. Its name follows.`);
  using naming = deadline(limits.namedWithinMs, signal);
  const named = await access.named(paste.id, naming.signal);
  signal.throwIfAborted();
  // Awaited, because after the result progress is ignored.
  await progress.say(named.status === "named" ? `Named ${named.name}.` : `Not named yet: ${named.name}.`);
  return named;
}

async function nextSaved({ access, seconds, signal, progress, limits }: Waiting): Promise<Paste | undefined> {
  using wait = deadline(seconds * 1_000, signal);
  let waitedMs = 0;
  const report = () => progress.say(`Waiting for a screenshot: ${Math.round(waitedMs / 1_000)} of ${seconds} s.`);
  const timer = setInterval(() => {
    waitedMs += limits.progressEveryMs;
    report();
  }, limits.progressEveryMs);
  try {
    return await access.next(wait.signal, { onWaiting: report });
  } catch (error) {
    signal.throwIfAborted();
    if (wait.isOver()) return undefined;
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** A signal that aborts after `ms`, or when one of the others does. Disposing it clears the timer. */
function deadline(ms: number, ...others: AbortSignal[]): Disposable & { signal: AbortSignal; isOver(): boolean } {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), ms);
  return {
    signal: AbortSignal.any([over.signal, ...others]),
    isOver: () => over.signal.aborted,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

export type Progress = {
  /** Resolves when the message is sent, or if there is nobody to send it to. */
  say(message: string): Promise<void>;
};

/** Sends progress messages to a caller that asked for them, and nothing to others. */
export function progressOf({ mcpReq }: ServerContext): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { say: async () => undefined };
  let progress = 0;
  return {
    say(message) {
      progress += 1;
      const params = { progressToken, progress, message };
      // If the caller has left, the signal ends the call.
      return mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
    },
  };
}
