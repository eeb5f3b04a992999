import type { Layout } from "@backplane/contract/panels";
import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { type IconChoice, PanelIcon } from "../catalog/panel-icons.tsx";
import { changes, type Drop, dropAt, previewOf, type TabExtent } from "./drop-target.ts";
import { type Arrangement, placed } from "./geometry.ts";

/** A pointer that moves less than this clicks. */
const CLICK_SLOP_PX = 6;
/** A finger that rests on a tab for this long drags it. */
const LONG_PRESS_MS = 400;

export type Drag = { tabId: string; x: number; y: number; drop: Drop | undefined };

type Options = {
  dock: RefObject<HTMLElement | null>;
  arrangement: Arrangement | undefined;
  root: Layout["root"] | undefined;
  onDrop: (tabId: string, drop: Drop) => void;
};

/** Drags a tab with the mouse, a pen, or a finger that rests on it first. */
export function useTabDrag(options: Options) {
  const [drag, setDrag] = useState<Drag>();
  const latest = useRef(options);
  latest.current = options;
  const stop = useRef<() => void>(undefined);

  useEffect(() => () => stop.current?.(), []);

  const grab = (event: ReactPointerEvent<HTMLElement>, tabId: string) => {
    if (event.button !== 0 || !event.isPrimary) return;
    stop.current?.();
    stop.current = followPointer(event, {
      drag: (x, y) => dragTo(latest.current, tabId, x, y),
      onDrag: setDrag,
      onDrop: (drop) => latest.current.onDrop(tabId, drop),
      release: holdPointer(event, latest.current.dock.current),
    });
  };

  return { drag, grab };
}

/** The drag at this position of the window, with the drop that would change something. */
function dragTo({ dock, arrangement, root }: Options, tabId: string, x: number, y: number): Drag | undefined {
  const box = dock.current?.getBoundingClientRect();
  if (!box || !arrangement || !root) return undefined;
  const point = { x: x - box.left, y: y - box.top };
  const drop = dropAt(point, arrangement.leaves, (leafId) => tabExtents(dock.current, leafId, box.left));
  return { tabId, ...point, drop: drop && changes(root, tabId, drop) ? drop : undefined };
}

/**
 * Keeps the pointer on what was pressed: a quick first move could otherwise end in a frame, which reports nothing. It is
 * kept on the button, not on the tab around it, so that the button still gets its click. Browsers do this for fingers.
 */
function holdPointer({ pointerId, pointerType, target, currentTarget }: ReactPointerEvent, dock: HTMLElement | null) {
  if (pointerType === "touch") return () => {};
  const held = target instanceof Element ? (target.closest("button") ?? currentTarget) : currentTarget;
  held.setPointerCapture(pointerId);
  // Some pointers ignore the capture.
  dock?.toggleAttribute("data-grabbed", true);
  return () => {
    dock?.removeAttribute("data-grabbed");
    if (held.hasPointerCapture(pointerId)) held.releasePointerCapture(pointerId);
  };
}

type PointerHandlers = {
  drag: (x: number, y: number) => Drag | undefined;
  onDrag: (drag: Drag | undefined) => void;
  onDrop: (drop: Drop) => void;
  release: () => void;
};

/** Follows a pressed pointer until it is released or cancelled. Returns the function that ends it. */
function followPointer(event: ReactPointerEvent<HTMLElement>, { drag, onDrag, onDrop, release }: PointerHandlers) {
  const { pointerId, clientX, clientY, pointerType, currentTarget: tab } = event;
  const isTouch = pointerType === "touch";
  const listening = new AbortController();
  const options = { signal: listening.signal, capture: true };
  let now: Drag | undefined;

  const move = (x: number, y: number) => {
    clearTimeout(longPress);
    now = drag(x, y) ?? now;
    if (now) onDrag(now);
  };
  const longPress = setTimeout(() => isTouch && move(clientX, clientY), LONG_PRESS_MS);

  const end = () => {
    clearTimeout(longPress);
    listening.abort();
    release();
    onDrag(undefined);
  };

  const onMove = (moved: PointerEvent) => {
    if (moved.pointerId !== pointerId) return;
    const isClick = !now && Math.hypot(moved.clientX - clientX, moved.clientY - clientY) < CLICK_SLOP_PX;
    if (isClick) return;
    // A finger that moves before the long press scrolls the strip.
    if (isTouch && !now) end();
    else move(moved.clientX, moved.clientY);
  };
  const onUp = (up: PointerEvent) => {
    if (up.pointerId !== pointerId) return;
    const last = now;
    end();
    if (!last) return;
    swallowClick();
    if (last.drop) onDrop(last.drop);
  };
  const onKeyDown = (key: KeyboardEvent) => {
    if (key.key !== "Escape" || !now) return;
    key.preventDefault();
    key.stopPropagation();
    end();
    swallowClick();
  };
  const onContextMenu = (menu: Event) => {
    if (!isTouch) return;
    menu.preventDefault();
    menu.stopPropagation();
  };

  window.addEventListener("pointermove", onMove, options);
  window.addEventListener("pointerup", onUp, options);
  window.addEventListener("pointercancel", (gone) => gone.pointerId === pointerId && end(), options);
  window.addEventListener("keydown", onKeyDown, options);
  window.addEventListener("contextmenu", onContextMenu, options);
  // Without `capture`: only the blur of the window itself, not of what had the focus.
  window.addEventListener("blur", end, { signal: listening.signal });
  // A finger that holds a tab does not scroll.
  tab.addEventListener("touchmove", (touch) => now && touch.cancelable && touch.preventDefault(), {
    signal: listening.signal,
    passive: false,
  });
  return end;
}

/** Dropping a tab must not click what lies under it. */
function swallowClick(): void {
  const swallow = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 0);
}

function tabExtents(dock: HTMLElement | null, leafId: string, offset: number): TabExtent[] {
  const tabs = dock?.querySelectorAll<HTMLElement>(`[data-leaf="${CSS.escape(leafId)}"] .tab`) ?? [];
  return [...tabs].map((tab) => {
    const { left, right } = tab.getBoundingClientRect();
    return { left: left - offset, right: right - offset };
  });
}

type Props = { drag: Drag; arrangement: Arrangement; name: string; icon: IconChoice; insertX: (drag: Drag) => number };

/** Covers everything while a tab is dragged, so that no frame takes the pointer. Shows the tab and where it would go. */
export function DropPreview({ drag, arrangement, name, icon, insertX }: Props) {
  const { drop } = drag;
  const leaf = drop && arrangement.leaves.get(drop.leafId);
  return (
    <div className="drag-shield">
      {drop && leaf && drop.kind === "insert" && (
        <div className="insert-mark" style={placed({ ...previewOf(drop, leaf), x: insertX(drag) - 1, width: 2 }, 0)} />
      )}
      {drop && leaf && drop.kind !== "insert" && (
        <div className="drop-preview" style={placed(previewOf(drop, leaf), 0)} />
      )}
      <div className="drag-ghost" style={{ translate: `${drag.x + 12}px ${drag.y + 12}px` }}>
        <PanelIcon {...icon} />
        <span className="cut">{name}</span>
      </div>
    </div>
  );
}
