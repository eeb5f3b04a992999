import type { Devices } from "@backplane/contract/devices";
import { useEffect, useSyncExternalStore } from "react";
import { call } from "../../calls/call.ts";
import { type WorkspaceName, workspaceRoute } from "../calls.ts";
import type { OpenDevices } from "../devices/devices.ts";
import type { LazyDevices } from "../devices/lazy-devices.ts";

/**
 * The devices of the workspace, as soon as it has any: whoever sees the workspace can then stop them, whichever panels are
 * open. A workspace without devices costs one question, and another whenever the page is shown again.
 */
export function useOpenedDevices(
  { owner, repo }: WorkspaceName,
  lazy: LazyDevices,
  isConnected: boolean,
): OpenDevices | undefined {
  const opened = useSyncExternalStore(lazy.onOpened, lazy.opened);
  useEffect(() => {
    // Until then nobody knows whether there is such a workspace.
    if (opened || !isConnected) return;
    const over = new AbortController();
    const path = workspaceRoute({ owner, repo }, "/devices");
    const look = async () => {
      if (document.visibilityState === "hidden") return;
      const answer = await call<Devices>({ method: "GET", path, signal: over.signal });
      if (over.signal.aborted || !answer.ok) return;
      if (answer.value.devices.length > 0 || answer.value.stopped) await lazy.open().catch(reportError);
    };
    if (wantedReplay() === undefined) void look();
    else lazy.open().catch(reportError);
    document.addEventListener("visibilitychange", look, { signal: over.signal });
    return () => over.abort();
  }, [owner, repo, lazy, opened, isConnected]);
  return opened;
}

const REPLAY = "#replay=";

/** The recording that a link to this page wants to see. */
export const wantedReplay = (): string | undefined =>
  window.location.hash.startsWith(REPLAY) ? decodeURIComponent(window.location.hash.slice(REPLAY.length)) : undefined;

export const replayAddress = (address: string, recording: string): string =>
  `${address}${REPLAY}${encodeURIComponent(recording)}`;
