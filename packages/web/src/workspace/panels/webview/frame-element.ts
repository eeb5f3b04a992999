/**
 * No popups, downloads or dialogs, and no access to our page. `allow-same-origin` lets the site keep its own origin, with
 * its cookies and storage. `isOwnAddress` makes sure that this is never the origin of Backplane.
 */
const SANDBOX = "allow-scripts allow-same-origin allow-forms";

export type FrameElement = {
  /** Null before the first address and after `remove`. */
  window(): Window | null;
  point(src: string, isProxied: boolean): void;
  /** Its name for screen readers. */
  name(title: string): void;
  remove(): void;
  focus(): void;
};

/** The frame itself. It is outside React, so that only `point` ever loads anything. */
export function createFrameElement(holder: HTMLElement, onLoad: () => void): FrameElement {
  let frame: HTMLIFrameElement | undefined;
  let mode: "proxied" | "direct" | undefined;
  /** A frame in another process that is redirected during a load may end up at its first address. */
  let isLoading = false;

  let title = "Page";

  const make = (src: string): HTMLIFrameElement => {
    const made = document.createElement("iframe");
    made.setAttribute("sandbox", SANDBOX);
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
    point(src, isProxied) {
      const nextMode = isProxied ? "proxied" : "direct";
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
      frame = make(src);
      holder.append(frame);
      if (hadFocus) frame.focus();
    },
    name(next) {
      title = next;
      if (frame) frame.title = next;
    },
    remove() {
      frame?.remove();
      frame = undefined;
    },
    focus: () => frame?.focus(),
  };
}
