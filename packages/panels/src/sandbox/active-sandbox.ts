import type { Layout, SandboxState, Tab } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { findPanel } from "../catalog/catalog.ts";
import { findLeaf, findTab } from "../layout/tree.ts";

export type SandboxTab = { panelId: string; tab: Tab; state: SandboxState };

/**
 * The sandbox that a panel shows now, or, where the id is a tab's, that tab. 404 when there is no such panel, 409 when it
 * shows something else.
 */
export function activeSandbox(root: Layout["root"], panelId: string): SandboxTab {
  const leaf = findLeaf(root, panelId);
  const { leaf: holder, tab } = leaf
    ? { leaf, tab: leaf.tabs.find(({ id }) => id === leaf.activeTabId) }
    : (findTab(root, panelId) ?? {});
  if (!holder) {
    throw new Problem("panel-unknown", {
      detail: `There is no panel ${panelId}. GET …/current shows those there are.`,
      errors: [{ pointer: "/panelId", message: "names no panel of this workspace" }],
    });
  }
  const kind = tab && findPanel(tab.panelType)?.kind;
  if (!tab || kind !== "sandbox") {
    const shown = tab ? `shows ${kind ?? "something else"}` : "is empty";
    throw new Problem("wrong-panel-type", {
      detail: `This panel ${shown}, not a sandbox.`,
      errors: [{ pointer: "/panelId", message: "is not a sandbox" }],
    });
  }
  return { panelId: holder.id, tab, state: tab.panelState as SandboxState };
}
