export const byId = (id) => document.getElementById(id);
export const partOf = (element, name) => element.querySelector(`[data-part="${name}"]`);

// Only what changed is written: what is read aloud is read once, and what is selected stays selected.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setFlag(element, name, isSet) {
  if (isSet) element.setAttribute(name, "true");
  else element.removeAttribute(name);
}

// The button says for a moment what it did.
const SAYS_COPIED_MS = 2_000;
export function sayCopied(button) {
  const label = partOf(button, "label");
  const says = label?.textContent;
  button.classList.add("copied");
  if (label) label.textContent = "Copied";
  setTimeout(() => {
    button.classList.remove("copied");
    if (label && label.textContent === "Copied") label.textContent = says;
  }, SAYS_COPIED_MS);
}

// Where keys go. A frame that somebody does not work in gets none, takes the focus from nobody, and says what to do.

export const isFramed = () => window.parent !== window;

const isElsewhere = () => isFramed() && !document.hasFocus();

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
