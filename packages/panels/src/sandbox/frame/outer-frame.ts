import type { OuterToPage } from "@backplane/contract/panels";
import type { FrameEvent, FramePort } from "./natives.ts";

type OuterWindow = {
  parent: { postMessage(message: unknown, target: string): void };
  addEventListener(type: "message", listener: (event: FrameEvent) => void): void;
};
type RunElement = {
  contentWindow: { postMessage(message: unknown, target: string, transfer: readonly FramePort[]): void } | null;
  addEventListener(type: "load", listener: () => void): void;
  src: string;
};

/**
 * The document around the one that code runs in. It contains no foreign code: its policy keeps the inner document from
 * navigating, and it notices if that happens anyway.
 */
export function startOuter(outer: OuterWindow, run: RunElement, address: string): void {
  let loads = 0;
  const tell = (message: OuterToPage) => outer.parent.postMessage(message, "*");
  outer.addEventListener("message", (event) => {
    if (event.source === run.contentWindow) {
      if (loads === 0 && (event.data as { type?: unknown } | null)?.type === "run-loaded")
        tell({ type: "sandbox-loaded" });
    } else if (event.source === outer.parent && event.ports?.[0]) {
      run.contentWindow?.postMessage({ type: "sandbox-port" }, "*", [event.ports[0]]);
    }
  });
  run.addEventListener("load", () => {
    loads += 1;
    if (loads > 1) tell({ type: "sandbox-gone" });
  });
  run.src = address;
}
