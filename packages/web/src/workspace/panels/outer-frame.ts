import type { OuterToPage, PageToOuter } from "@backplane/contract/panels";
import { watchFocus } from "./watch-focus.ts";
import { watchMessages } from "./watch-messages.ts";

type Options = {
  holder: HTMLElement;
  address: string;
  /** The other end of the page's port. It is given once, when the frame has loaded. */
  given: MessagePort;
  title: string;
  className: string;
  /** The code in it has left its document. */
  onGone(): void;
  /** It sends the page more messages than that can take. */
  onFlood(): void;
  /** It does not stop taking the keyboard. */
  onTookKeyboard(): void;
};

/** A frame at its own host name, in which foreign code runs: our outer document, around the one with the code. */
export function openOuterFrame(options: Options): { close(): void } {
  const { holder, address, given, title, className, onGone, onFlood, onTookKeyboard } = options;
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.allow = "";
  frame.referrerPolicy = "no-referrer";
  frame.title = title;
  frame.className = className;
  let isGiven = false;
  const onMessage = ({ source, data }: MessageEvent<OuterToPage | null>) => {
    if (source !== frame.contentWindow || source === null) return;
    if (data?.type === "sandbox-loaded" && !isGiven) {
      isGiven = true;
      const message: PageToOuter = { type: "sandbox-port" };
      // Its origin is opaque and cannot be named.
      frame.contentWindow?.postMessage(message, "*", [given]);
    } else if (data?.type === "sandbox-gone") onGone();
  };
  window.addEventListener("message", onMessage);
  watchMessages(frame, onFlood);
  frame.src = address;
  holder.append(frame);
  watchFocus(frame, onTookKeyboard);
  return {
    close() {
      window.removeEventListener("message", onMessage);
      frame.remove();
    },
  };
}
