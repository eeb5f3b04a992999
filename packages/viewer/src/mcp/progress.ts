import type { ServerContext } from "@modelcontextprotocol/server";

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
