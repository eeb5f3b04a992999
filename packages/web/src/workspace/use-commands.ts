import { identifierOf, type Layout } from "@backplane/contract/panels";
import { type RefObject, useState } from "react";
import { flushSync } from "react-dom";
import type { Size } from "./browser-hooks.ts";
import type { Actions, AddedPanel } from "./dock/actions.ts";
import type { DockState } from "./dock/dock-store.ts";
import { focusTab } from "./dock/focus.ts";
import { type Arrangement, arrangeView, neighbourOf, type Side } from "./dock/geometry.ts";
import { leafAfter, leafOfTab, leavesOf, tabsOf } from "./dock/layout-tree.ts";
import type { Mounted } from "./dock/panel-slot.tsx";

type Options = {
  frame: RefObject<HTMLElement | null>;
  state: DockState;
  size: Size | undefined;
  focusedLeafId: string | undefined;
  setFocusedLeaf: (leafId: string) => void;
  actions: Actions;
  panels: ReadonlyMap<string, Mounted>;
  /** Asks which panel to open on that side. */
  onWhichPanel: (side: Side) => void;
};

const leavesIn = (layout: Layout | undefined) => (layout ? leavesOf(layout.root) : []);

/** Commands of menus, keys and the catalog that take more than one call. */
export function useCommands(options: Options) {
  const { frame, state, size, focusedLeafId, setFocusedLeaf, actions, panels, onWhichPanel } = options;
  const { layout, shown } = state;
  const [maximised, setMaximised] = useState<string>();
  const leaves = leavesIn(layout);
  const isMaximised = leaves.length > 1 && leaves.some(({ id }) => id === maximised);

  const showLeaf = (leafId: string) => {
    setFocusedLeaf(leafId);
    if (isMaximised) setMaximised(leafId);
  };

  /** At once, because the next key is for the tab. A leaf that was covered has its tabs only when it is drawn. */
  const goToTab = (leafId: string, tabId: string) => {
    flushSync(() => showLeaf(leafId));
    focusTab(tabId);
  };

  return {
    maximisedLeafId: isMaximised ? maximised : undefined,
    maximise: (leafId: string) => setMaximised(maximised === leafId ? undefined : leafId),

    goToPanel(step: 1 | -1) {
      const isInside = frame.current?.contains(document.activeElement) === true;
      const next = isInside && layout ? leafAfter(layout.root, focusedLeafId, step) : undefined;
      const leaf = next ?? leaves.find(({ id }) => id === focusedLeafId);
      const tabId = leaf && shown.get(leaf.id);
      if (leaf && tabId !== undefined) goToTab(leaf.id, tabId);
    },

    split(tabId: string, side: "right" | "down") {
      const leaf = layout && leafOfTab(layout.root, tabId);
      if (!leaf) return;
      setMaximised(undefined);
      // A single tab stays, and a new panel is opened beside it.
      if (leaf.tabs.length === 1) onWhichPanel(side);
      else void actions.drop(tabId, { kind: "split", leafId: leaf.id, side });
    },

    /** Moves a tab to the leaf on that side, or to a new one at the edge of the workspace. */
    move(tabId: string, side: Side) {
      const leaf = layout && leafOfTab(layout.root, tabId);
      if (!leaf || !size) return;
      const whole = { soloLeafId: undefined, isNarrow: false, ratios: state.ratios };
      const next = neighbourOf(arrangeView(layout.root, size, whole).leaves, leaf.id, side);
      setMaximised(undefined);
      if (next !== undefined) void actions.drop(tabId, { kind: "join", leafId: next });
      else if (leaf.tabs.length > 1) void actions.drop(tabId, { kind: "split", leafId: leaf.id, side });
    },

    /** Moves the focus into the panel. */
    enter(tabId: string) {
      const mounted = panels.get(tabId);
      if (mounted?.panel?.focus) mounted.panel.focus();
      else mounted?.element.focus();
    },

    /** Opens a panel, or shows the one that is already open if it is a singleton. */
    add(panel: AddedPanel, side: Side | undefined) {
      if (!layout || focusedLeafId === undefined) return;
      const open = panel.singleton
        ? tabsOf(layout.root).find((tab) => identifierOf(tab) === panel.identifier)
        : undefined;
      const leaf = open && leafOfTab(layout.root, open.id);
      if (leaf) {
        actions.show(leaf.id, open.id);
        return goToTab(leaf.id, open.id);
      }
      if (side) setMaximised(undefined);
      void actions.add(panel, { leafId: focusedLeafId, side });
    },
  };
}

export type Commands = ReturnType<typeof useCommands>;

/** Splits the longer side. */
export function splitSide(leafId: string | undefined, arrangement: Arrangement | undefined): Side {
  const rect = leafId === undefined ? undefined : arrangement?.leaves.get(leafId);
  return rect && rect.height > rect.width ? "down" : "right";
}
