import { setTimeout as sleep } from "node:timers/promises";
import type { ViewerAccess } from "../services.ts";
import { MCP_LIMITS } from "./limits.ts";

/** Calls `onPaste` for each new screenshot until the signal aborts; a viewer that is away is asked again later. */
export async function watchPastes(
  access: Pick<ViewerAccess, "next">,
  onPaste: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await access.next(signal);
      onPaste();
    } catch {
      await sleep(MCP_LIMITS.watchAgainMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
