// Finds and fills elements, and decides which one has the focus.
export const byId = (id) => document.getElementById(id);
export const partOf = (element, name) => element.querySelector(`[data-part="${name}"]`);

// Writes only changes: otherwise screen readers would repeat the text, and selections would be lost.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setFlag(element, name, isSet) {
  if (isSet) element.setAttribute(name, "true");
  else element.removeAttribute(name);
}

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

export const isFramed = () => window.parent !== window;

// As in page.css: fingers, and no keys to press.
export const isTouch = () => matchMedia("(hover: none) and (pointer: coarse)").matches;

// A frame without the focus gets no keys. It must not take the focus, so it asks for a click.
const isElsewhere = () => isFramed() && !document.hasFocus();

export function takeFocus() {
  if (isElsewhere()) return;
  const places = [byId("strip"), byId("drop"), byId("search")];
  places.find((place) => place.checkVisibility())?.focus({ preventScroll: true });
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
