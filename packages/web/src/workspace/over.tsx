import type { CatalogPanel, Layout } from "@backplane/contract/panels";
import { useMemo } from "react";
import { CatalogDialog } from "./catalog/catalog-dialog.tsx";
import type { Actions } from "./dock/actions.ts";
import { Menu } from "./dock/menu.tsx";
import type { Side } from "./dock/neighbours.ts";
import { panelMenu } from "./dock/panel-menu.ts";
import { RenameDialog } from "./dock/rename-dialog.tsx";
import { ShortcutsDialog } from "./dock/shortcuts-dialog.tsx";
import type { Shown } from "./dock/shown-tabs.ts";
import { findLeaf, leafOfTab, tabsOf } from "./dock/tree.ts";
import { focusTab } from "./dock/use-focus.ts";
import type { Commands } from "./use-commands.ts";

/** What floats over the panels; one at a time. */
export type Over =
  | { is: "catalog"; side?: Side }
  | { is: "help" }
  | { is: "menu"; anchor: HTMLElement; tabId: string }
  | { is: "tabs"; anchor: HTMLElement; leafId: string }
  | { is: "rename"; tabId: string };

type Props = {
  over: Over | undefined;
  layout: Layout;
  shown: Shown;
  offered: readonly CatalogPanel[];
  focusedTabId: string | undefined;
  /** Where a new split goes unless somebody chose a side. */
  side: Side;
  isNarrow: boolean;
  actions: Actions;
  commands: Commands;
  nameOf: (tabId: string) => string;
  onOver: (over: Over | undefined) => void;
  onClose: () => void;
};

export function OverPanels(props: Props) {
  const { over, layout, offered, focusedTabId, isNarrow, actions, commands, nameOf, onOver, onClose } = props;
  const { root } = layout;
  const open = useMemo(() => new Set(tabsOf(root).map(({ panelType }) => panelType)), [root]);

  switch (over?.is) {
    case undefined:
      return null;
    case "help":
      return <ShortcutsDialog onClose={onClose} />;
    case "catalog":
      return (
        <CatalogDialog
          panels={offered}
          open={open}
          besideWords={besideWords(over.side, focusedTabId, nameOf)}
          canSplit={open.size > 0 && over.side === undefined}
          onChoose={(panel, inNewSplit) => commands.add(panel, over.side ?? (inNewSplit ? props.side : undefined))}
          onClose={onClose}
        />
      );
    case "rename":
      return (
        <RenameDialog
          name={nameOf(over.tabId)}
          onRename={(name) => void actions.rename(over.tabId, name)}
          onClose={onClose}
        />
      );
    case "tabs": {
      const { leafId, anchor } = over;
      const items = (findLeaf(root, leafId)?.tabs ?? []).map(({ id }) => ({
        label: nameOf(id),
        isCurrent: props.shown.get(leafId) === id,
        onSelect: () => {
          actions.show(leafId, id);
          focusTab(id);
        },
      }));
      return <Menu label="Tabs of this panel" align="end" {...{ anchor, items, onClose }} />;
    }
    case "menu": {
      const { tabId, anchor } = over;
      const leaf = leafOfTab(root, tabId);
      const items = panelMenu({
        ...{ root, tabId, isNarrow, isMaximised: commands.maximisedLeafId !== undefined },
        on: {
          split: (side) => commands.split(tabId, side),
          moveTo: (leafId) => void actions.drop(tabId, { kind: "join", leafId }),
          maximise: () => leaf && commands.maximise(leaf.id),
          rename: () => onOver({ is: "rename", tabId }),
          close: () => void actions.close(tabId),
          closeOthers: () => void actions.closeOthers(tabId),
        },
      });
      const align = anchor.matches("[role=tab]") ? "start" : "end";
      return <Menu label={`Panel menu, ${nameOf(tabId)}`} {...{ anchor, align, items, onClose }} />;
    }
  }
}

function besideWords(side: Side | undefined, tabId: string | undefined, nameOf: (tabId: string) => string): string {
  if (tabId === undefined) return "as the first panel";
  if (side === undefined) return `as tab beside ${nameOf(tabId)}`;
  return side === "down" ? `below ${nameOf(tabId)}` : `to the right of ${nameOf(tabId)}`;
}
