// Where keys go. A frame that somebody does not work in gets none, takes the focus from nobody, and says what to do.
import { byId, partOf } from "./elements.js";

export const isFramed = window.parent !== window;

const isElsewhere = () => isFramed && !document.hasFocus();

export function takeFocus() {
  if (isElsewhere()) return;
  byId(byId("result").hidden ? "drop" : "strip").focus({ preventScroll: true });
}

function showWhereKeysGo() {
  const isAway = isElsewhere();
  partOf(byId("ready"), "focused").hidden = isAway;
  partOf(byId("ready"), "away").hidden = !isAway;
}

export function followFocus() {
  window.addEventListener("blur", showWhereKeysGo);
  window.addEventListener("focus", () => {
    showWhereKeysGo();
    if (document.activeElement === document.body || document.activeElement === null) takeFocus();
  });
  showWhereKeysGo();
  takeFocus();
}
