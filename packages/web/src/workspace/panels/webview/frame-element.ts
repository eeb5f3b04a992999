/**
 * No popups, no downloads, no dialogs, and no way to the page that holds it. `allow-same-origin` gives the site its own
 * origin back (its cookies, its storage); that this is never the origin of the app is seen to before (`isOwnAddress`).
 */
const SANDBOX = "allow-scripts allow-same-origin allow-forms";

export type FrameElement = {
  /** Undefined before the first address and after `remove`. */
  window(): Window | null;
  point(src: string, isProxied: boolean): void;
  /** What a screen reader says of it. */
  name(title: string): void;
  remove(): void;
  focus(): void;
};

/** The frame itself: outside React, so that nothing but `point` ever loads anything. */
export function createFrameElement(holder: HTMLElement, onLoad: () => void): FrameElement {
  let frame: HTMLIFrameElement | undefined;
  let was: "proxied" | "direct" | undefined;
  /** Told to go elsewhere while it is on its way, a frame in another process may arrive where it was going first. */
  let isOnItsWay = false;

  let title = "Page";

  const make = (src: string): HTMLIFrameElement => {
    const made = document.createElement("iframe");
    made.setAttribute("sandbox", SANDBOX);
    made.referrerPolicy = "no-referrer";
    made.title = title;
    made.src = src;
    made.addEventListener("load", () => {
      if (made !== frame) return;
      isOnItsWay = false;
      onLoad();
    });
    return made;
  };

  return {
    window: () => frame?.contentWindow ?? null,
    point(src, isProxied) {
      const mode = isProxied ? "proxied" : "direct";
      // Replacing leaves the history of the browser's tab alone, and the old page visible until the next one is there.
      // With a fragment it might only scroll, though, and the load that is waited for would never come.
      const canReplace = was === mode && !isOnItsWay && !src.includes("#");
      isOnItsWay = true;
      if (frame?.contentWindow && canReplace) {
        frame.contentWindow.location.replace(src);
        return;
      }
      const hadFocus = frame !== undefined && document.activeElement === frame;
      frame?.remove();
      was = mode;
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
