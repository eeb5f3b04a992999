import type { ListedTab, Workspace } from "@backplane/sdk";
import { badInput, type Refusal } from "../connect/refusal.ts";
import { plain } from "../pkg/words.ts";

/** The tab that somebody means: by the id of its panel, by its own id, or by its name. */
export async function findTab(workspace: Workspace, named: string, kind?: string): Promise<ListedTab | Refusal> {
  const tabs = await workspace.tabs();
  const found = pick(tabs, named, kind);
  if (found) return found;
  const listed = tabs.map((tab) => `${tab.panelId}  ${plain(tab.name)} (${tab.kind})`);
  const next = listed.length > 0 ? ["Open are, with the ids of their panels:", ...listed] : ["No panel is open."];
  return badInput("panel-unknown", [`No ${kind ?? "panel"} is called "${plain(named)}".`, ...next].join("\n"));
}

function pick(tabs: readonly ListedTab[], named: string, kind: string | undefined): ListedTab | undefined {
  const fitting = tabs.filter((tab) => kind === undefined || tab.kind === kind);
  const ways: ((tab: ListedTab) => boolean)[] = [
    (tab) => tab.panelId === named && tab.active,
    (tab) => tab.tabId === named,
    (tab) => tab.name === named,
    (tab) => tab.kind === named,
  ];
  for (const fits of ways) {
    const found = fitting.filter(fits);
    if (found.length === 1) return found[0];
  }
  return undefined;
}

/** Shows the tab if another one is in front: what drives a panel drives the tab that is active in it. */
export async function inFront(workspace: Workspace, tab: ListedTab): Promise<string> {
  if (!tab.active) await workspace.showTab({ tabId: tab.tabId, panelId: tab.panelId });
  return tab.panelId;
}
