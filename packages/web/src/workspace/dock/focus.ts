import type { Layout } from "@backplane/contract/panels";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Shown } from "./dock-store.ts";
import { findLeaf, leafOfTab, leavesOf } from "./layout-tree.ts";
import type { Mounted } from "./panel-slot.tsx";

type Last = { element: Element; leafId: string; tabId: string | undefined };

export const tabElementId = (tabId: string): string => `tab-${tabId}`;

const tabOf = (element: Element): string | undefined =>
  element.closest("[data-tab]")?.getAttribute("data-tab") ?? undefined;

/** The tab whose panel holds the keyboard: not as a whole, after a click somewhere in it, but something in it. */
export function typingIn(): string | undefined {
  const { activeElement } = document;
  return activeElement && !activeElement.matches(".slot > .panel") && activeElement.closest(".slot")
    ? tabOf(activeElement)
    : undefined;
}

export const focusTab = (tabId: string): void =>
  document.getElementById(tabElementId(tabId))?.focus({ preventScroll: true });

/** For somebody who has just opened it. Not by touch: the keyboard of the screen would cover half of it. */
export function enterSoon(tabId: string, panels: ReadonlyMap<string, Mounted>): void {
  if (matchMedia("(pointer: coarse)").matches) return;
  enterWhenReady({
    isWaiting: () => document.activeElement?.id === tabElementId(tabId),
    enter: () => panels.get(tabId)?.panel?.focus?.(),
    later: requestAnimationFrame,
    now: () => performance.now(),
  });
}

/** Which panel has the focus; and that it is never lost when what had it goes away. */
export function useFocus(dock: RefObject<HTMLElement | null>, layout: Layout | undefined, shown: Shown) {
  const [leafId, setLeafId] = useState<string>();
  const last = useRef<Last>(undefined);
  const latest = useRef(layout);
  latest.current = layout;

  const note = useCallback(
    (element: Element | null) => {
      const root = latest.current?.root;
      if (!element || !root || !dock.current?.contains(element)) return;
      const tabId = tabOf(element);
      const inLeaf = element.closest("[data-leaf]")?.getAttribute("data-leaf");
      const leaf = (tabId === undefined ? undefined : leafOfTab(root, tabId)) ?? (inLeaf && findLeaf(root, inLeaf));
      if (!leaf) return;
      last.current = { element, leafId: leaf.id, tabId };
      setLeafId(leaf.id);
    },
    [dock],
  );

  useEffect(() => {
    const focusin = (event: FocusEvent) => note(event.target instanceof Element ? event.target : null);
    // A frame that takes the focus says nothing but this.
    const blur = () => setTimeout(() => note(document.activeElement), 0);
    document.addEventListener("focusin", focusin);
    window.addEventListener("blur", blur);
    return () => {
      document.removeEventListener("focusin", focusin);
      window.removeEventListener("blur", blur);
    };
  }, [note]);

  useLayoutEffect(() => {
    const had = last.current;
    if (!had || !layout || (document.activeElement && document.activeElement !== document.body)) return;
    // Whoever clicked beside everything has left by themselves.
    if (had.element.isConnected && had.element.checkVisibility({ visibilityProperty: true })) return;
    const { root } = layout;
    const leaf =
      (had.tabId === undefined ? undefined : leafOfTab(root, had.tabId)) ??
      findLeaf(root, had.leafId) ??
      leavesOf(root)[0];
    const tabId = leaf && shown.get(leaf.id);
    last.current = undefined;
    if (tabId !== undefined) focusTab(tabId);
    else (dock.current?.querySelector<HTMLElement>(".empty-workspace .btn") ?? dock.current)?.focus();
  }, [layout, shown, dock]);

  const focused = layout && leafId !== undefined ? findLeaf(layout.root, leafId) : undefined;
  const leaf = focused ?? (layout && leavesOf(layout.root)[0]);
  return { focusedLeafId: leaf?.id, setFocusedLeaf: setLeafId };
}

/** A panel that takes longer to load is not entered any more: somebody may be about to press a key. */
export const READY_WITHIN_MS = 3_000;

type Entry = {
  /** Whether the keyboard is still where it was put: on the tab. */
  isWaiting(): boolean;
  /** Puts the keyboard into the panel, as far as that is there. */
  enter(): void;
  /** Calls back at the next chance. */
  later(again: () => void): void;
  now(): number;
};

/** A panel that somebody has just opened is entered as soon as it takes the keyboard, unless they go elsewhere. */
export function enterWhenReady({ isWaiting, enter, later, now }: Entry): void {
  const endsAtMs = now() + READY_WITHIN_MS;
  const attempt = () => {
    if (!isWaiting()) return;
    enter();
    if (isWaiting() && now() < endsAtMs) later(attempt);
  };
  later(attempt);
}
