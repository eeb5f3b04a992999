import { type SitePermissions, siteSandbox } from "@backplane/contract/panels";
import { focusFrame, watchFocus } from "../watch-focus.ts";
import { watchMessages } from "../watch-messages.ts";

/** `onFlood`: the site sends more messages than this page can take. `onTaken`: it keeps taking the keyboard. */
type FrameEvents = { onLoad(): void; onFlood(): void; onTaken(): void };
type FrameMode = SitePermissions & { isProxied: boolean };

export type FrameElement = {
  /** Null before the first address and after `remove`. */
  window(): Window | null;
  point(src: string, mode: FrameMode): void;
  /** Its name for screen readers. */
  name(title: string): void;
  remove(): void;
  focus(): void;
};

/**
 * The frame itself. It is outside React, so that only `point` ever loads anything. The site has no access to our page,
 * opens no dialogs, and windows and downloads only if the tab allows them. It keeps its own origin: `isOwnAddress`
 * makes sure that this is never the origin of Backplane.
 */
export function createFrameElement(holder: HTMLElement, { onLoad, onFlood, onTaken }: FrameEvents): FrameElement {
  let frame: HTMLIFrameElement | undefined;
  let mode: string | undefined;
  /** A frame in another process that is redirected during a load may end up at its first address. */
  let isLoading = false;

  let title = "Page";

  const make = (src: string, sandbox: string): HTMLIFrameElement => {
    const made = document.createElement("iframe");
    made.setAttribute("sandbox", sandbox);
    made.className = "webview-frame";
    made.referrerPolicy = "no-referrer";
    made.title = title;
    made.src = src;
    made.addEventListener("load", () => {
      if (made !== frame) return;
      isLoading = false;
      onLoad();
    });
    return made;
  };

  return {
    window: () => frame?.contentWindow ?? null,
    point(src, { isProxied, ...allowed }) {
      const sandbox = siteSandbox(allowed);
      const nextMode = `${isProxied ? "proxied" : "direct"} ${sandbox}`;
      // Replacing keeps the history of the browser tab as it is, and the old page visible until the next one is there.
      // An address with a fragment might only scroll, and the expected load event would never come.
      const canReplace = mode === nextMode && !isLoading && !src.includes("#");
      isLoading = true;
      if (frame?.contentWindow && canReplace) {
        frame.contentWindow.location.replace(src);
        return;
      }
      const hadFocus = frame !== undefined && document.activeElement === frame;
      frame?.remove();
      mode = nextMode;
      frame = make(src, sandbox);
      watchMessages(frame, onFlood);
      holder.append(frame);
      watchFocus(frame, onTaken);
      if (hadFocus) focusFrame(frame);
    },
    name(next) {
      title = next;
      if (frame) frame.title = next;
    },
    remove() {
      frame?.remove();
      frame = undefined;
    },
    focus() {
      if (frame) focusFrame(frame);
    },
  };
}
