import type { Layout, Leaf, Tab } from "@backplane/contract/panels";
import { type KeyboardEvent, memo, type PointerEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import { PanelIcon } from "../catalog/panel-icons.tsx";
import { tabElementId } from "./focus.ts";
import { STRIP_HEIGHT } from "./geometry.ts";
import { type Catalog, type Icons, leafOfTab, type Titles, tabIcon, tabName } from "./layout-tree.ts";
import { slotId } from "./panel-slot.tsx";

type Props = {
  leaf: Leaf;
  shownTabId: string | undefined;
  catalog: Catalog;
  titles: Titles;
  icons: Icons;
  mounted: readonly string[];
  draggedTabId: string | undefined;
  events: TabEvents;
};

/**
 * The tabs of a leaf, following the ARIA tabs pattern: one tab stop, arrow keys inside. Drawn again only for what is in its
 * own leaf.
 */
export const TabStrip = memo(function TabStrip(props: Props) {
  const { leaf, shownTabId, catalog, titles, icons, mounted, draggedTabId, events } = props;
  const { tabs } = leaf;
  const strip = useRef<HTMLDivElement>(null);
  const shown = tabs.find(({ id }) => id === shownTabId);
  const shownName = shown && tabName(shown, catalog, titles);
  const isOver = useRoom(strip, shownTabId, tabs.map(({ id }) => id).join());

  return (
    <div className="strip" style={{ height: STRIP_HEIGHT }}>
      <div
        className="tabs"
        role="tablist"
        aria-label={shownName ?? "Tabs"}
        ref={strip}
        onWheel={({ currentTarget, deltaX, deltaY }) => {
          // A mouse wheel scrolls only vertically; touchpads scroll sideways by themselves.
          if (deltaX === 0) currentTarget.scrollLeft += deltaY;
        }}
      >
        {tabs.map((tab) => {
          const { name: icon, own: ownIcon } = tabIcon(tab, catalog, icons);
          const isShown = tab.id === shownTabId;
          return (
            <TabItem
              key={tab.id}
              {...{ icon, ownIcon, isShown, events }}
              tabId={tab.id}
              name={tabName(tab, catalog, titles)}
              drivenBy={tab.drivenBy}
              // A program activated it while somebody was typing in another tab.
              isNews={leaf.activeTabId === tab.id && !isShown}
              isMounted={mounted.includes(tab.id)}
              isDragged={tab.id === draggedTabId}
            />
          );
        })}
      </div>
      {isOver && (
        <button
          className="icon-btn small"
          type="button"
          aria-label={`All ${tabs.length} tabs`}
          title={`All ${tabs.length} tabs`}
          aria-haspopup="menu"
          onClick={(event) => events.onTabs(event.currentTarget, leaf.id)}
        >
          <Icon name="down" />
        </button>
      )}
      {shown && (
        <button
          className="icon-btn small"
          type="button"
          aria-label={`Panel menu, ${shownName}`}
          aria-haspopup="menu"
          data-menu={leaf.id}
          onClick={(event) => events.onMenu(event.currentTarget, shown.id)}
        >
          <Icon name="more" />
        </button>
      )}
    </div>
  );
});

type Handlers = {
  onShow: (leafId: string, tabId: string) => void;
  onClose: (tabId: string) => void;
  onEnter: (tabId: string) => void;
  onMenu: (anchor: HTMLElement, tabId: string) => void;
  /** Opens the menu of all tabs of a leaf. */
  onTabs: (anchor: HTMLElement, leafId: string) => void;
  onGrab: (event: PointerEvent<HTMLElement>, tabId: string) => void;
};

/** What people do with tabs. */
export type TabEvents = Omit<Handlers, "onShow" | "onEnter"> & {
  onShow: (tabId: string) => void;
  onKeyDown: (event: KeyboardEvent, tabId: string) => void;
};

/** The same object for as long as the workspace is there, so that nothing is drawn again for it. */
export function useTabEvents(handlers: Handlers & { root: Layout["root"] }): TabEvents {
  const latest = useRef(handlers);
  latest.current = handlers;
  const [events] = useState<TabEvents>(() => {
    const show = (tabId: string) => {
      const leaf = leafOfTab(latest.current.root, tabId);
      if (leaf) latest.current.onShow(leaf.id, tabId);
    };
    return {
      onShow: show,
      onClose: (tabId) => latest.current.onClose(tabId),
      onMenu: (anchor, tabId) => latest.current.onMenu(anchor, tabId),
      onTabs: (anchor, leafId) => latest.current.onTabs(anchor, leafId),
      onGrab: (event, tabId) => latest.current.onGrab(event, tabId),
      onKeyDown(event, tabId) {
        const { root, onClose, onEnter } = latest.current;
        const tabs = leafOfTab(root, tabId)?.tabs ?? [];
        pressKey({ tabs, onShow: show, onClose, onEnter }, event, tabId);
      },
    };
  });
  return events;
}

type KeyHandlers = Pick<Handlers, "onClose" | "onEnter"> & Pick<TabEvents, "onShow"> & { tabs: readonly Tab[] };

function pressKey({ tabs, onShow, onClose, onEnter }: KeyHandlers, event: KeyboardEvent, tabId: string): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const place = tabs.findIndex(({ id }) => id === tabId);
  const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to !== undefined) {
    const next = tabs[(to + tabs.length) % tabs.length];
    if (next) onShow(next.id);
    if (next) document.getElementById(tabElementId(next.id))?.focus();
  } else if (event.key === "Delete") onClose(tabId);
  else if (event.key === "Enter" || event.key === " " || event.key === "ArrowDown") onEnter(tabId);
  else return;
  event.preventDefault();
}

/** Only what is drawn: a new layout may have new objects for tabs that did not change. */
type ItemProps = {
  tabId: string;
  name: string;
  icon: string;
  ownIcon: string;
  drivenBy: string | undefined;
  isShown: boolean;
  isNews: boolean;
  isMounted: boolean;
  isDragged: boolean;
  events: TabEvents;
};

const TabItem = memo(function TabItem(props: ItemProps) {
  const { tabId, name, icon, ownIcon, drivenBy, isShown, isNews, isMounted, isDragged, events } = props;
  const { onShow, onClose, onMenu, onGrab, onKeyDown } = events;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard does the same on the tab
    <div
      className="tab"
      role="presentation"
      data-tab={tabId}
      data-shown={isShown}
      data-dragged={isDragged || undefined}
      onPointerDown={(event) => onGrab(event, tabId)}
      onAuxClick={(event) => {
        if (event.button !== 1) return;
        event.preventDefault();
        onClose(tabId);
      }}
      onContextMenu={(event) => {
        event.preventDefault();
        const anchor = event.currentTarget.querySelector<HTMLElement>("[role=tab]");
        if (anchor) onMenu(anchor, tabId);
      }}
    >
      <button
        id={tabElementId(tabId)}
        className="tab-name"
        type="button"
        role="tab"
        aria-selected={isShown}
        aria-controls={isMounted ? slotId(tabId) : undefined}
        tabIndex={isShown ? 0 : -1}
        title={name}
        onClick={() => onShow(tabId)}
        onKeyDown={(event) => onKeyDown(event, tabId)}
      >
        <PanelIcon name={icon} own={ownIcon} />
        <span className="cut">{name}</span>
        {drivenBy !== undefined && (
          <span className="driven" title={`${drivenBy} drives this panel`}>
            <span className="sr">, driven by {drivenBy}</span>
          </span>
        )}
        {isNews && <span className="badge accent">New</span>}
      </button>
      {/* Only for the pointer: a tab must not contain a button. The keyboard has Delete and the menu. */}
      <button
        className="tab-close"
        type="button"
        tabIndex={-1}
        aria-hidden="true"
        title={`Close ${name} (Delete)`}
        onClick={() => onClose(tabId)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
});

/**
 * Keeps the shown tab in view when the strip or a tab changes its size; scrolls only the strip. Returns whether the
 * strip has more tabs than it has room for.
 */
function useRoom(strip: RefObject<HTMLDivElement | null>, shownTabId: string | undefined, tabIds: string): boolean {
  const [isOver, setOver] = useState(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new tab moves the one that is shown
  useLayoutEffect(() => {
    const box = strip.current;
    if (!box) return;
    const tab = shownTabId === undefined ? null : document.getElementById(tabElementId(shownTabId))?.parentElement;
    const measure = () => {
      setOver(box.scrollWidth > box.clientWidth);
      if (!tab) return;
      const [left, right] = [tab.offsetLeft, tab.offsetLeft + tab.offsetWidth];
      if (left < box.scrollLeft) box.scrollLeft = left;
      else if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth;
    };
    // At once and after each change, when the browser has a layout of the page anyway.
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    // A badge or a longer name moves all tabs after it.
    for (const each of box.children) observer.observe(each);
    return () => observer.disconnect();
  }, [strip, shownTabId, tabIds]);

  return isOver;
}
