import "./dock.css";
import type { Layout } from "@backplane/contract/panels";
import { type RefObject, useMemo, useState } from "react";
import type { LayoutCalls, WorkspaceName } from "../calls.ts";
import type { LazyDevices } from "../devices/lazy-devices.ts";
import type { LiveClient } from "../live/live-client.ts";
import type { Actions } from "./actions.ts";
import { type DockState, type DockStore, mountedTabs } from "./dock-store.ts";
import { type Arrangement, bodyOf, placed } from "./geometry.ts";
import {
  type Catalog,
  findTab,
  type Icons,
  leafOfTab,
  leavesOf,
  panelOf,
  type Titles,
  tabIcon,
  tabName,
} from "./layout-tree.ts";
import { type Mounted, PanelSlot } from "./panel-slot.tsx";
import { Splitter } from "./splitter.tsx";
import { type Drag, DropPreview, useTabDrag } from "./tab-drag.tsx";
import { TabStrip, useTabEvents } from "./tab-strip.tsx";

type Props = {
  frame: RefObject<HTMLElement | null>;
  layout: Layout;
  state: DockState;
  arrangement: Arrangement | undefined;
  focusedLeafId: string | undefined;
  workspace: WorkspaceName;
  live: LiveClient;
  devices: LazyDevices;
  calls: LayoutCalls;
  store: DockStore;
  actions: Actions;
  catalog: Catalog;
  titles: Titles;
  icons: Icons;
  panels: Map<string, Mounted>;
  onTitle: (tabId: string, title: string | undefined) => void;
  onIcon: (tabId: string, icon: string | undefined) => void;
  onEnter: (tabId: string) => void;
  onMenu: (anchor: HTMLElement, tabId: string) => void;
  onTabs: (anchor: HTMLElement, leafId: string) => void;
};

const NOWHERE = { x: 0, y: 0, width: 0, height: 0 };

/**
 * Draws the layout: a tab strip for every leaf of the tree, a handle for every split, and the panels themselves in one
 * flat list, each positioned where its tab is.
 */
export function Dock(props: Props) {
  const { frame, layout, state, arrangement, focusedLeafId, store, actions, catalog, titles, icons } = props;
  const { shown } = state;
  const leaves = leavesOf(layout.root);
  const mounted = useMounted(layout, state);
  const [isResizing, setResizing] = useState(false);
  const { drag, grab } = useTabDrag({ dock: frame, arrangement, root: layout.root, onDrop: actions.drop });
  const dragged = drag && findTab(layout.root, drag.tabId);
  const events = useTabEvents({
    ...{ root: layout.root, onShow: actions.show, onClose: (tabId) => void actions.close(tabId), onGrab: grab },
    ...{ onEnter: props.onEnter, onMenu: props.onMenu, onTabs: props.onTabs },
  });

  const nameOfLeaf = (leafId: string): string => {
    const tab = findTab(layout.root, shown.get(leafId) ?? "");
    return tab ? tabName(tab, catalog, titles) : "an empty panel";
  };

  return (
    <>
      {arrangement &&
        leaves.map((leaf, place) => {
          const rect = arrangement.leaves.get(leaf.id);
          return (
            rect && (
              <section
                key={leaf.id}
                className="leaf"
                data-leaf={leaf.id}
                data-focused={leaf.id === focusedLeafId}
                aria-label={nameOfLeaf(leaf.id)}
                style={placed(rect, place * 2)}
              >
                <TabStrip
                  {...{ leaf, catalog, titles, icons, mounted, events }}
                  shownTabId={shown.get(leaf.id)}
                  draggedTabId={drag?.tabId}
                />
              </section>
            )
          );
        })}
      {arrangement &&
        mounted.map((tabId) => {
          const leaf = leafOfTab(layout.root, tabId);
          const tab = leaf?.tabs.find(({ id }) => id === tabId);
          if (!leaf || !tab) return null;
          const rect = arrangement.leaves.get(leaf.id);
          const [first = NOWHERE] = arrangement.leaves.values();
          return (
            <PanelSlot
              key={tabId}
              tab={tab}
              name={tabName(tab, catalog, titles)}
              catalogPanel={panelOf(tab, catalog)}
              // A hidden panel keeps a size that it may soon have.
              rect={bodyOf(rect ?? first)}
              isShown={rect !== undefined && shown.get(leaf.id) === tabId}
              order={leaves.indexOf(leaf) * 2 + 1}
              workspace={props.workspace}
              live={props.live}
              devices={props.devices}
              calls={props.calls}
              mounted={props.panels}
              onTitle={props.onTitle}
              onIcon={props.onIcon}
              onOpen={actions.openBeside}
            />
          );
        })}
      {arrangement?.splitters.map((place, index) => (
        <Splitter
          key={place.splitId}
          place={place}
          label={`Resize ${nameOfLeaf(place.sides[0])} and ${nameOfLeaf(place.sides[1])}`}
          order={leaves.length * 2 + index}
          onPreview={(ratio) => store.preview(place.splitId, ratio)}
          onResize={(ratio) => void actions.resize(place.splitId, ratio)}
          onDragging={setResizing}
        />
      ))}
      {isResizing && <div className="drag-shield resizing" />}
      {arrangement && drag && dragged && (
        <DropPreview
          drag={drag}
          arrangement={arrangement}
          name={tabName(dragged, catalog, titles)}
          icon={tabIcon(dragged, catalog, icons)}
          insertX={(now) => insertX(frame.current, now, arrangement)}
        />
      )}
    </>
  );
}

function useMounted(layout: Layout, { shown }: DockState): readonly string[] {
  const [mounted, setMounted] = useState<readonly string[]>([]);
  const next = useMemo(() => mountedTabs(mounted, layout, shown), [mounted, layout, shown]);
  if (next !== mounted) setMounted(next);
  return next;
}

/** The x position between the two tabs where the dragged one would go. */
function insertX(frame: HTMLElement | null, { drop }: Drag, { leaves }: Arrangement): number {
  if (!frame || drop?.kind !== "insert") return 0;
  const tabs = [...frame.querySelectorAll(`[data-leaf="${CSS.escape(drop.leafId)}"] .tab`)];
  const { left } = frame.getBoundingClientRect();
  const before = tabs[drop.index]?.getBoundingClientRect().left;
  const after = tabs.at(-1)?.getBoundingClientRect().right;
  return before !== undefined ? before - left : after !== undefined ? after - left : (leaves.get(drop.leafId)?.x ?? 0);
}
