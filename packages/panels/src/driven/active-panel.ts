import type { LayoutNode, Tab } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { findPanel, panelOf } from "../catalog/catalog.ts";
import { expectLeaf } from "../layout/expect.ts";
import { activeTabOf, findTab } from "../layout/tree.ts";

export type ActivePanel = { panelId: string; tab: Tab };

/**
 * The active tab of a panel, or the tab itself where the id is a tab's. 404 when there is no such panel, 409 when it shows
 * another kind.
 */
export function activePanel(root: LayoutNode, panelId: string, kind: string, also?: string): ActivePanel {
  const named = findTab(root, panelId);
  const leaf = named?.leaf ?? expectLeaf(root, panelId);
  const tab = named?.tab ?? activeTabOf(leaf);
  const found = tab && panelOf(tab)?.kind;
  if (tab && found !== undefined && (found === kind || found === also)) return { panelId: leaf.id, tab };
  const shown = tab ? `shows ${panelOf(tab)?.name ?? tab.panelType}` : "is empty";
  throw new Problem("wrong-panel-type", {
    detail: `The panel ${shown}, not ${findPanel(kind)?.name ?? kind}.`,
    errors: [{ pointer: "/panelId", message: `does not show a ${kind}` }],
  });
}
