import { type RefObject, useEffect, useState } from "react";
import type { WorkspaceName } from "./calls.ts";
import { type Capture, openCapture } from "./capture/open-capture.ts";
import type { Mounted } from "./dock/panel-slot.tsx";
import type { LiveClient } from "./live/live-client.ts";

/** Screenshots of this page and its panels. */
export function useCapture(
  { owner, repo }: WorkspaceName,
  live: LiveClient,
  frame: RefObject<HTMLElement | null>,
  panels: ReadonlyMap<string, Mounted>,
): Capture | undefined {
  const [capture, setCapture] = useState<Capture>();

  useEffect(() => {
    const opened = openCapture({
      ...{ live, owner, repo },
      elementOf: (tabId) => panels.get(tabId)?.slot,
      workspaceElement: () => frame.current ?? undefined,
      rasterise: (tabId) => panels.get(tabId)?.panel?.rasterise?.(),
    });
    setCapture(opened);
    return () => opened.close();
  }, [live, owner, repo, frame, panels]);

  return capture;
}
