import type { Paste, PasteWithText } from "@backplane/contract/viewer";
import type { ServerContext } from "@modelcontextprotocol/server";
import type { ViewerAccess } from "../services.ts";
import type { McpLimits } from "./limits.ts";

export type Waiting = {
  access: Pick<ViewerAccess, "next" | "named">;
  seconds: number;
  /** The caller has gone or has cancelled, or the server stops. */
  signal: AbortSignal;
  progress: Progress;
  limits: Pick<McpLimits, "progressEveryMs" | "namedWithinMs">;
};

/** The next screenshot, once it has its name; undefined when none comes in time. Rejects when the signal aborts. */
export async function nextPaste(waiting: Waiting): Promise<PasteWithText | undefined> {
  const { access, signal, progress, limits } = waiting;
  const paste = await nextSaved(waiting);
  if (paste === undefined) return undefined;
  progress.say(`Saved as ${paste.optimized.path}. Its name follows.`);
  using naming = deadline(limits.namedWithinMs, signal);
  const named = await access.named(paste.id, naming.signal);
  signal.throwIfAborted();
  // After the answer nobody listens any more.
  await progress.say(named.status === "named" ? `Named ${named.name}.` : `Not named yet: ${named.name}.`);
  return named;
}

async function nextSaved({ access, seconds, signal, progress, limits }: Waiting): Promise<Paste | undefined> {
  using wait = deadline(seconds * 1_000, signal);
  let waitedMs = 0;
  const tell = () => progress.say(`Waiting for a screenshot: ${Math.round(waitedMs / 1_000)} of ${seconds} s.`);
  const timer = setInterval(() => {
    waitedMs += limits.progressEveryMs;
    tell();
  }, limits.progressEveryMs);
  try {
    return await access.next(wait.signal, tell);
  } catch (error) {
    signal.throwIfAborted();
    if (wait.isOver()) return undefined;
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** A signal that aborts with the others or after `ms`; its timer ends with the scope that uses it. */
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
  /** Resolves when it is on its way, also to nobody. */
  say(message: string): Promise<void>;
};

/** Tells a caller who asked for it how far a call is; silent for the others. */
export function progressOf({ mcpReq }: ServerContext): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { say: async () => undefined };
  let progress = 0;
  return {
    say(message) {
      progress += 1;
      const params = { progressToken, progress, message };
      // A caller who is gone ends the call by its signal; here there is nothing to do about it.
      return mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
    },
  };
}
