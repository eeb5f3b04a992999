import type { Paste, PasteWithText } from "@backplane/contract/viewer";
import type { ViewerAccess } from "../services.ts";
import { deadline } from "./deadline.ts";
import type { McpLimits } from "./limits.ts";
import type { Progress } from "./progress.ts";

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
