// Removes both files of a screenshot, then offers to put them back for ten seconds.
import { byId, partOf, setText, takeFocus } from "./elements.js";
import { fail, receive, say, show } from "./screen.js";
import { fileNameOf } from "./texts.js";

const SHOWN_MS = 10_000;

export async function removeShown(page) {
  const { paste } = page.shown;
  try {
    await page.viewer.remove(paste.id);
  } catch (problem) {
    return fail(page, problem, "remove");
  }
  receive(page, "removed", paste.id);
  page.notice.show(paste.id, `Removed ${fileNameOf(paste.optimized.path)}`);
  say("Removed both files. You have 10 seconds to put them back.");
}

export async function restore(page, id) {
  try {
    const paste = await page.viewer.restore(id);
    receive(page, "paste", paste);
    say(`Put back ${paste.name}`);
    show(page, { paste });
    takeFocus();
  } catch (problem) {
    fail(page, problem, "restore");
  }
}

// The time does not run while the pointer or the focus is on the notice.
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
  const hold = () => {
    clearTimeout(timer);
    leftMs -= Date.now() - sinceMs;
    sinceMs = Date.now();
  };
  const isHeld = () => notice.matches(":hover, :focus-within");
  for (const name of ["pointerenter", "focusin"]) notice.addEventListener(name, hold);
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
  };
}
