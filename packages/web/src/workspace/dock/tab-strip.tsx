import type { Leaf, Tab } from "@backplane/contract/panels";
import { type KeyboardEvent, type PointerEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import { PanelIcon } from "../catalog/panel-icons.tsx";
import { tabElementId } from "./focus.ts";
import { STRIP_HEIGHT } from "./geometry.ts";
import { type Catalog, type Icons, type Titles, tabIcon, tabName } from "./layout-tree.ts";
import { slotId } from "./panel-slot.tsx";

type Props = {
  leaf: Leaf;
  shownTabId: string | undefined;
  catalog: Catalog;
  titles: Titles;
  icons: Icons;
  mounted: readonly string[];
  draggedTabId: string | undefined;
  onShow: (tabId: string) => void;
  onClose: (tabId: string) => void;
  onEnter: (tabId: string) => void;
  onMenu: (anchor: HTMLElement, tabId: string) => void;
  /** Opens the menu of all tabs of a leaf. */
  onTabs: (anchor: HTMLElement, leafId: string) => void;
  onGrab: (event: PointerEvent<HTMLElement>, tabId: string) => void;
};

/** The tabs of a leaf, following the ARIA tabs pattern: one tab stop, arrow keys inside. */
export function TabStrip(props: Props) {
  const { leaf, shownTabId, catalog, titles, onShow, onClose, onEnter, onMenu, onTabs } = props;
  const { tabs } = leaf;
  const strip = useRef<HTMLDivElement>(null);
  const shown = tabs.find(({ id }) => id === shownTabId);
  const shownName = shown && tabName(shown, catalog, titles);

  useKeepInView(strip, shownTabId, tabs.length);
  const isOver = useOverflow(strip);

  const onKeyDown = (event: KeyboardEvent, place: number) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const focused = tabs[place];
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to !== undefined) {
      const next = tabs[(to + tabs.length) % tabs.length];
      if (next) onShow(next.id);
      if (next) document.getElementById(tabElementId(next.id))?.focus();
    } else if (event.key === "Delete" && focused) onClose(focused.id);
    else if ((event.key === "Enter" || event.key === " " || event.key === "ArrowDown") && focused) onEnter(focused.id);
    else return;
    event.preventDefault();
  };

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
        {tabs.map((tab, place) => (
          <TabItem
            key={tab.id}
            {...props}
            tab={tab}
            isShown={tab.id === shownTabId}
            onKeyDown={(event) => onKeyDown(event, place)}
          />
        ))}
      </div>
      {isOver && (
        <button
          className="icon-btn small"
          type="button"
          aria-label={`All ${tabs.length} tabs`}
          title={`All ${tabs.length} tabs`}
          aria-haspopup="menu"
          onClick={(event) => onTabs(event.currentTarget, leaf.id)}
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
          onClick={(event) => onMenu(event.currentTarget, shown.id)}
        >
          <Icon name="more" />
        </button>
      )}
    </div>
  );
}

type ItemProps = Props & { tab: Tab; isShown: boolean; onKeyDown: (event: KeyboardEvent) => void };

function TabItem(props: ItemProps) {
  const { tab, leaf, isShown, catalog, titles, icons, mounted, draggedTabId } = props;
  const { onShow, onClose, onMenu, onGrab, onKeyDown } = props;
  const name = tabName(tab, catalog, titles);
  // A program activated it while somebody was typing in another tab.
  const isNews = leaf.activeTabId === tab.id && !isShown;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard does the same on the tab
    <div
      className="tab"
      role="presentation"
      data-tab={tab.id}
      data-shown={isShown}
      data-dragged={tab.id === draggedTabId || undefined}
      onPointerDown={(event) => onGrab(event, tab.id)}
      onAuxClick={(event) => {
        if (event.button !== 1) return;
        event.preventDefault();
        onClose(tab.id);
      }}
      onContextMenu={(event) => {
        event.preventDefault();
        const anchor = event.currentTarget.querySelector<HTMLElement>("[role=tab]");
        if (anchor) onMenu(anchor, tab.id);
      }}
    >
      <button
        id={tabElementId(tab.id)}
        className="tab-name"
        type="button"
        role="tab"
        aria-selected={isShown}
        aria-controls={mounted.includes(tab.id) ? slotId(tab.id) : undefined}
        tabIndex={isShown ? 0 : -1}
        title={name}
        onClick={() => onShow(tab.id)}
        onKeyDown={onKeyDown}
      >
        <PanelIcon {...tabIcon(tab, catalog, icons)} />
        <span className="cut">{name}</span>
        {tab.drivenBy !== undefined && (
          <span className="driven" title={`${tab.drivenBy} drives this panel`}>
            <span className="sr">, driven by {tab.drivenBy}</span>
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
        onClick={() => onClose(tab.id)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Keeps the shown tab in view when the strip or a tab changes its size. Scrolls only the strip. */
function useKeepInView(strip: RefObject<HTMLDivElement | null>, shownTabId: string | undefined, count: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new tab moves the one that is shown
  useLayoutEffect(() => {
    const box = strip.current;
    const tab = shownTabId === undefined ? null : document.getElementById(tabElementId(shownTabId))?.parentElement;
    if (!box || !tab) return;
    const keep = () => {
      const [left, right] = [tab.offsetLeft, tab.offsetLeft + tab.offsetWidth];
      if (left < box.scrollLeft) box.scrollLeft = left;
      else if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth;
    };
    const observer = new ResizeObserver(keep);
    observer.observe(box);
    // A badge or a longer name moves all tabs after it.
    for (const each of box.children) observer.observe(each);
    return () => observer.disconnect();
  }, [strip, shownTabId, count]);
}

/** Whether the strip has more tabs than it has room for. */
function useOverflow(strip: RefObject<HTMLElement | null>): boolean {
  const [isOver, setOver] = useState(false);

  // After every render: names and the number of tabs change.
  useLayoutEffect(() => {
    const box = strip.current;
    if (!box) return;
    const measure = () => setOver(box.scrollWidth > box.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  });

  return isOver;
}
