/** A frame that takes the keyboard more often than this within a minute is stopped. A page that loads may do it once. */
const MAX_TAKEN = 10;
const MINUTE_MS = 60_000;
/** While a frame has the focus: browsers tell nobody when it goes to another one. Few people type two letters in this time. */
const LOOK_MS = 30;
/** While the mouse is in another frame than the focus: a press there may be followed at once by a page that takes it back. */
const LOOK_CLOSELY_MS = 5;
/** A key or a press moves the focus within this time. */
const PRESS_MS = 1_000;

type Watched = {
  frame: HTMLIFrameElement;
  cover: HTMLElement;
  /** It got the focus at least once. */
  hasEntered: boolean;
  /** It has the focus by a press of the mouse or the keyboard. */
  isPressed: boolean;
  taken: number;
  onTaken(): void;
};

const watched = new Map<Element, Watched>();
/** What has the focus because a person or this page put it there. */
let owner: Element | null = null;
/** Where the mouse is, as far as this page was told; undefined: there is none, or a finger was used last. */
let mouse: HTMLIFrameElement | "page" | "outside" | undefined;
let pressedAtMs = Number.NEGATIVE_INFINITY;
let tabbedAtMs = Number.NEGATIVE_INFINITY;
let timer: number | undefined;
let blurredAtMs = Number.NEGATIVE_INFINITY;

/**
 * Keeps the page in a frame from reading what a person types elsewhere: browsers let every frame take the keyboard by itself.
 * The focus may enter a frame with a click, by Tab, from its own panel, or once while nobody types; otherwise it goes back. When
 * a frame does not stop trying, `onTaken` is called. Call this when the frame is in its place; it ends with the frame.
 */
export function watchFocus(frame: HTMLIFrameElement, onTaken: () => void): void {
  if (watched.size === 0) listen(true);
  if (owner === null && matchMedia("(any-hover: hover)").matches) mouse ??= "outside";
  const cover = document.createElement("div");
  cover.className = "frame-cover";
  frame.after(cover);
  watched.set(frame, { frame, cover, hasEntered: false, isPressed: false, taken: 0, onTaken });
  coverFrames();
}

/** Moves the focus into a frame for this page, by its window: see `giveBack`. */
export function focusFrame(frame: HTMLIFrameElement): void {
  const entered = watched.get(frame);
  if (entered) enter(entered);
  giveBack(frame);
}

function listen(isOn: boolean): void {
  const change = isOn ? "addEventListener" : "removeEventListener";
  for (const type of ["pointerover", "pointerdown"] as const) document[change](type, onPointer as EventListener, true);
  document.documentElement[change]("pointerleave", onPointer as EventListener);
  document[change]("keydown", onKey as EventListener, true);
  document[change]("focusin", look);
  window[change]("blur", onBlur);
}

function onPointer({ type, target, pointerType, isTrusted }: PointerEvent): void {
  if (!isTrusted) return;
  if (type === "pointerdown") pressedAtMs = performance.now();
  // A finger is nowhere before it presses.
  if (pointerType === "touch") mouse = undefined;
  else if (type === "pointerleave") mouse = "outside";
  else mouse = frameAt(target as Element)?.frame ?? "page";
  coverFrames();
  const covered = type === "pointerdown" ? frameAt(target as Element) : undefined;
  if (covered) focusFrame(covered.frame);
  const holder = owner === null ? undefined : watched.get(owner);
  // What took the focus by itself would do so again after a press in the frame where the mouse is now, unseen.
  if (holder && !holder.isPressed && isInOther(holder)) release();
  lookOften();
}

function onKey({ key, isTrusted }: KeyboardEvent): void {
  if (!isTrusted) return;
  pressedAtMs = performance.now();
  if (key === "Tab") tabbedAtMs = pressedAtMs;
}

const frameAt = (target: Element): Watched | undefined =>
  watched.get(target) ?? [...watched.values()].find(({ cover }) => cover === target);

/**
 * A mouse that enters a frame tells this page nothing. So the frames where it is not are covered: the cover tells when it comes,
 * and is gone before it can press. Only a finger presses at once, and loses its first press after the mouse was used.
 */
function coverFrames(): void {
  for (const each of watched.values()) {
    // Its holder may not be in the page yet.
    if (each.frame.parentElement) each.cover.toggleAttribute("data-on", mouse !== undefined && mouse !== each.frame);
    else forget(each);
  }
}

function forget({ frame, cover }: Watched): void {
  cover.remove();
  watched.delete(frame);
  if (watched.size === 0) listen(false);
}

function onBlur(): void {
  blurredAtMs = performance.now();
  lookOften();
}

function lookOften(): void {
  clearInterval(timer);
  const isClose = mouse instanceof HTMLIFrameElement && mouse !== owner;
  timer = window.setInterval(look, isClose ? LOOK_CLOSELY_MS : LOOK_MS);
}

function look(): void {
  const active = document.activeElement;
  const entered = active === null ? undefined : watched.get(active);
  // The frame that has it is known a moment after the page has lost it.
  if (!entered && document.hasFocus() && !isLately(blurredAtMs)) clearInterval(timer);
  if (active === owner || !document.hasFocus()) return;
  // A frame can give the focus to the page as a whole, and take it from there.
  const isDropped = active === document.body && holdsKeys(owner) && !isLately(pressedAtMs);
  if (entered && !isAllowed(entered)) takeBack(entered);
  else if (entered) enter(entered);
  else if (!isDropped) owner = active;
}

function enter(entered: Watched): void {
  entered.isPressed = isLately(tabbedAtMs) || mouse === entered.frame;
  entered.hasEntered = true;
  owner = entered.frame;
  tabbedAtMs = Number.NEGATIVE_INFINITY;
  lookOften();
}

const isLately = (atMs: number): boolean => performance.now() - atMs < PRESS_MS;

const slotOf = (element: Element | null): Element | null | undefined => element?.closest(".slot");

function isAllowed(entered: Watched): boolean {
  if (slotOf(owner) === slotOf(entered.frame) || isLately(tabbedAtMs) || isUnderMouse(entered)) return true;
  return !entered.hasEntered && !holdsKeys(owner) && !isInOther(entered);
}

/** Browsers tell a page that somebody pressed in one of its frames, but not in which. */
const isUnderMouse = ({ frame }: Watched): boolean =>
  navigator.userActivation?.isActive !== false && (mouse === undefined || mouse === frame);

const isInOther = ({ frame }: Watched): boolean => mouse instanceof HTMLIFrameElement && mouse !== frame;

/** Whether people type there. */
const holdsKeys = (element: Element | null): element is HTMLElement =>
  element instanceof HTMLElement &&
  (watched.has(element) || element.matches("input, textarea, select") || element.isContentEditable) &&
  element.checkVisibility({ visibilityProperty: true });

function takeBack(from: Watched): void {
  if (holdsKeys(owner) || isInOther(from)) {
    from.taken += 1;
    setTimeout(() => (from.taken -= 1), MINUTE_MS);
  }
  if (from.taken > MAX_TAKEN) {
    forget(from);
    from.onTaken();
  }
  if (holdsKeys(owner)) giveBack(owner);
  else release();
}

/** The page itself has the focus. */
function release(): void {
  owner = document.body;
  window.focus();
}

function giveBack(element: HTMLElement): void {
  if (element instanceof HTMLIFrameElement) {
    // By its window: of an element that has the focus, `activeElement` does not tell that another frame took it.
    window.focus();
    element.contentWindow?.focus();
  } else element.focus({ preventScroll: true });
}
