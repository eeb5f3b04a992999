import type { Layout } from "@backplane/contract/panels";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Shown } from "./dock-store.ts";
import { findLeaf, leafOfTab, leavesOf } from "./layout-tree.ts";
import type { Mounted } from "./panel-slot.tsx";

type Last = { element: Element; leafId: string; tabId: string | undefined };

export const tabElementId = (tabId: string): string => `tab-${tabId}`;

const tabOf = (element: Element): string | undefined =>
  element.closest("[data-tab]")?.getAttribute("data-tab") ?? undefined;

/** The tab in whose panel something has the focus. A panel that only has it as a whole, after a click, does not count. */
export function typingIn(): string | undefined {
  const { activeElement } = document;
  return activeElement && !activeElement.matches(".slot > .panel") && activeElement.closest(".slot")
    ? tabOf(activeElement)
    : undefined;
}

export const focusTab = (tabId: string): void =>
  document.getElementById(tabElementId(tabId))?.focus({ preventScroll: true });

/** Only until it loses the focus: Tab would skip everything inside of a dock that it does not stop at. */
function focusable(dock: HTMLElement): HTMLElement {
  dock.tabIndex = -1;
  dock.addEventListener("blur", () => dock.removeAttribute("tabindex"), { once: true });
  return dock;
}

/** Moves the focus into a panel that was just opened. Not on touch screens: their keyboard would cover half of it. */
export function enterSoon(tabId: string, panels: ReadonlyMap<string, Mounted>): void {
  if (matchMedia("(pointer: coarse)").matches) return;
  enterWhenReady({
    isWaiting: () => document.activeElement?.id === tabElementId(tabId),
    enter: () => panels.get(tabId)?.panel?.focus?.(),
    later: requestAnimationFrame,
    now: () => performance.now(),
  });
}

/** Tracks which leaf has the focus, and moves it on when the focused element disappears. */
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
    // The only event when a frame takes the focus.
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
    // The user clicked somewhere else on purpose.
    if (had.element.isConnected && had.element.checkVisibility({ visibilityProperty: true })) return;
    const { root } = layout;
    const leaf =
      (had.tabId === undefined ? undefined : leafOfTab(root, had.tabId)) ??
      findLeaf(root, had.leafId) ??
      leavesOf(root)[0];
    const tabId = leaf && shown.get(leaf.id);
    last.current = undefined;
    if (tabId !== undefined) focusTab(tabId);
    else if (dock.current)
      (dock.current.querySelector<HTMLElement>(".empty-workspace .btn") ?? focusable(dock.current)).focus();
  }, [layout, shown, dock]);

  const focused = layout && leafId !== undefined ? findLeaf(layout.root, leafId) : undefined;
  const leaf = focused ?? (layout && leavesOf(layout.root)[0]);
  return { focusedLeafId: leaf?.id, setFocusedLeaf: setLeafId };
}

/** A panel that takes longer to load is no longer entered: somebody may already be typing elsewhere. */
export const READY_WITHIN_MS = 3_000;

type Entry = {
  /** Whether the focus is still on the tab. */
  isWaiting(): boolean;
  /** Moves the focus into the panel, if it has loaded. */
  enter(): void;
  /** Calls back after a moment. */
  later(again: () => void): void;
  now(): number;
};

/** Enters a panel as soon as it can take the focus, unless the user goes elsewhere. */
export function enterWhenReady({ isWaiting, enter, later, now }: Entry): void {
  const endsAtMs = now() + READY_WITHIN_MS;
  const attempt = () => {
    if (!isWaiting()) return;
    enter();
    if (isWaiting() && now() < endsAtMs) later(attempt);
  };
  later(attempt);
}
