import type { Layout } from "@backplane/contract/panels";
import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { PanelIcon } from "../catalog/panel-icons.tsx";
import { changes, type Drop, dropAt, previewOf, type TabExtent } from "./drop-target.ts";
import { type Arrangement, placed } from "./geometry.ts";

/** A pointer that moved less has clicked. */
const CLICK_SLOP_PX = 6;
/** A finger that rests this long on a tab takes it; one that moves before scrolls the strip. */
const LONG_PRESS_MS = 400;

export type Drag = { tabId: string; x: number; y: number; drop: Drop | undefined };

type Ground = {
  dock: RefObject<HTMLElement | null>;
  arrangement: Arrangement | undefined;
  root: Layout["root"] | undefined;
  onDrop: (tabId: string, drop: Drop) => void;
};

/** Takes a tab from one place to another by pointer: mouse, pen, or a finger that rests on it first. */
export function useTabDrag(ground: Ground) {
  const [drag, setDrag] = useState<Drag>();
  const latest = useRef(ground);
  latest.current = ground;
  const stop = useRef<() => void>(undefined);

  useEffect(() => () => stop.current?.(), []);

  const grab = (event: ReactPointerEvent<HTMLElement>, tabId: string) => {
    if (event.button !== 0 || !event.isPrimary) return;
    stop.current?.();
    const { pointerId, clientX, clientY, pointerType } = event;
    const tab = event.currentTarget;
    const isTouch = pointerType === "touch";
    let now: Drag | undefined;
    // What is pressed keeps the pointer, or a quick first move ends in a frame, which tells nobody. That it is the
    // button and not the tab around it keeps its click. A finger is kept by the browser.
    const held = event.target instanceof Element ? (event.target.closest("button") ?? tab) : tab;
    const dockElement = latest.current.dock.current;
    if (!isTouch) {
      held.setPointerCapture(pointerId);
      // Not every way in which a pointer is moved heeds that.
      dockElement?.toggleAttribute("data-grabbed", true);
    }

    const move = (x: number, y: number) => {
      const { dock, arrangement, root } = latest.current;
      const box = dock.current?.getBoundingClientRect();
      if (!box || !arrangement || !root) return;
      const point = { x: x - box.left, y: y - box.top };
      const found = dropAt(point, arrangement.leaves, (leafId) => tabExtents(dock.current, leafId, box.left));
      now = { tabId, ...point, drop: found && changes(root, tabId, found) ? found : undefined };
      setDrag(now);
    };
    const begin = (x: number, y: number) => {
      clearTimeout(timer);
      move(x, y);
    };
    const timer = setTimeout(() => isTouch && begin(clientX, clientY), LONG_PRESS_MS);

    const end = () => {
      clearTimeout(timer);
      off.abort();
      dockElement?.removeAttribute("data-grabbed");
      if (!isTouch && held.hasPointerCapture(pointerId)) held.releasePointerCapture(pointerId);
      stop.current = undefined;
      setDrag(undefined);
    };
    stop.current = end;

    const off = new AbortController();
    const listen = { signal: off.signal, capture: true };
    window.addEventListener(
      "pointermove",
      (moved) => {
        if (moved.pointerId !== pointerId) return;
        if (now) return move(moved.clientX, moved.clientY);
        if (Math.hypot(moved.clientX - clientX, moved.clientY - clientY) < CLICK_SLOP_PX) return;
        if (isTouch) end();
        else begin(moved.clientX, moved.clientY);
      },
      listen,
    );
    window.addEventListener(
      "pointerup",
      (up) => {
        if (up.pointerId !== pointerId) return;
        const last = now;
        end();
        if (!last) return;
        swallowClick();
        if (last.drop) latest.current.onDrop(tabId, last.drop);
      },
      listen,
    );
    window.addEventListener("pointercancel", (gone) => gone.pointerId === pointerId && end(), listen);
    // Of the window itself: that of what had the focus comes by while it is captured.
    window.addEventListener("blur", end, { signal: off.signal });
    window.addEventListener(
      "keydown",
      (key) => {
        if (key.key !== "Escape" || !now) return;
        key.preventDefault();
        key.stopPropagation();
        end();
        swallowClick();
      },
      listen,
    );
    // A finger that holds a tab neither scrolls nor opens the menu of the browser.
    tab.addEventListener("touchmove", (touch) => now && touch.cancelable && touch.preventDefault(), {
      signal: off.signal,
      passive: false,
    });
    window.addEventListener(
      "contextmenu",
      (menu) => {
        if (!isTouch) return;
        menu.preventDefault();
        menu.stopPropagation();
      },
      listen,
    );
  };

  return { drag, grab };
}

/** Letting go of what was dragged is no click on what lies there. */
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

type Props = { drag: Drag; arrangement: Arrangement; name: string; icon: string; insertX: (drag: Drag) => number };

/** Over everything while a tab is dragged, so that no frame takes the pointer: where the tab would go, and the tab. */
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
        <PanelIcon name={icon} />
        <span className="cut">{name}</span>
      </div>
    </div>
  );
}
