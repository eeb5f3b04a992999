// What web views and sandboxes share: both show a frame, and programs control both by routes of the same form.
import type { SandboxAction, WebviewAction } from "@backplane/contract/panels";
import { useCallback, useEffect } from "react";
import { call, type Fault } from "../../calls/call.ts";
import { faultWords } from "../../calls/fault-words.ts";
import { panelRoute } from "../calls.ts";
import type { PanelContext } from "../panel.ts";

type Actions = { webview: WebviewAction; sandbox: SandboxAction };
type WithoutPanel<Action> = Action extends { panelId: string } ? Omit<Action, "panelId"> : never;

/** Acts on a panel through the route that programs use, so that every browser with this workspace open follows. */
export function panelControl<Kind extends keyof Actions>(kind: Kind, { workspace, tabId }: PanelContext) {
  const path = panelRoute(kind, workspace);
  return {
    path,
    act: <T,>(action: WithoutPanel<Actions[Kind]>) =>
      call<T>({ method: "PATCH", path, body: { panelId: tabId, ...action } }),
  };
}

/** The message about a field says more than the problem itself. */
export const controlFault = (fault: Fault): string => fault.errors[0]?.message ?? faultWords(fault);

export function createFrameHolder(): HTMLElement {
  const holder = document.createElement("div");
  holder.className = "frame-holder";
  return holder;
}

/**
 * Puts the holder in its place once. It is never moved again: a frame that moves in the document loads again.
 * `isTabStop`: nothing before the frame takes the focus. Without a stop of this page between two frames, it could not tell
 * Tab in the first from a page in the second that takes the keyboard.
 */
export function FrameSlot({ holder, isTabStop }: { holder: HTMLElement; isTabStop: boolean }) {
  useEffect(() => {
    if (!isTabStop) return;
    const stop = { tabindex: "0", role: "group", "aria-label": "What the panel shows" };
    for (const [name, value] of Object.entries(stop)) holder.setAttribute(name, value);
    return () => {
      for (const name of Object.keys(stop)) holder.removeAttribute(name);
    };
  }, [holder, isTabStop]);
  const place = useCallback(
    (slot: HTMLElement | null) => {
      if (slot && holder.parentElement !== slot) slot.append(holder);
    },
    [holder],
  );
  return <div className="frame-slot" ref={place} />;
}
