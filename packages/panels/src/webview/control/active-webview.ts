import type { Layout, Tab, WebviewState } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { findPanel } from "../../catalog/catalog.ts";
import { findLeaf } from "../../layout/tree.ts";

export type WebviewTab = { tab: Tab; state: WebviewState };

/** The web view that a panel shows now; 404 when there is no such panel, 409 when it shows something else. */
export function activeWebview(root: Layout["root"], panelId: string): WebviewTab {
  const leaf = findLeaf(root, panelId);
  if (!leaf) throw new Problem("panel-unknown", { detail: "/panelId names no panel of this workspace." });
  const tab = leaf.tabs.find(({ id }) => id === leaf.activeTabId);
  const kind = tab && findPanel(tab.panelType)?.kind;
  if (!tab || kind !== "webview") {
    const shown = tab ? `shows ${kind ?? "something else"}` : "is empty";
    throw new Problem("wrong-panel-type", { detail: `This panel ${shown}, not a web view.` });
  }
  return { tab, state: tab.panelState as WebviewState };
}
