// Confirms what was just removed and offers it back, for a while that does not pass under the pointer or the focus.
import { byId, partOf, setText } from "./elements.js";

const SHOWN_MS = 10_000;

export function createNotice({ onRestore }) {
  const notice = byId("notice");
  let id;
  let timer;
  let leftMs = 0;
  let sinceMs = 0;

  const hide = () => {
    clearTimeout(timer);
    notice.hidden = true;
    id = undefined;
  };
  const run = () => {
    clearTimeout(timer);
    sinceMs = Date.now();
    timer = setTimeout(hide, leftMs);
  };
  const pause = () => {
    clearTimeout(timer);
    leftMs -= Date.now() - sinceMs;
    sinceMs = Date.now();
  };
  const isHeld = () => notice.matches(":hover, :focus-within");
  for (const name of ["pointerenter", "focusin"]) notice.addEventListener(name, pause);
  for (const name of ["pointerleave", "focusout"]) {
    notice.addEventListener(name, () => setTimeout(() => id && !isHeld() && run()));
  }
  notice.querySelector("button").addEventListener("click", () => {
    const restored = id;
    hide();
    if (restored) onRestore(restored);
  });

  return {
    show(removedId, text) {
      id = removedId;
      setText(partOf(notice, "text"), text);
      notice.hidden = false;
      leftMs = SHOWN_MS;
      sinceMs = Date.now();
      if (!isHeld()) run();
    },
    hide,
  };
}
