import type { ListedTab, Workspace } from "@backplane/sdk";
import { type Refusal, refuse } from "../refusal.ts";
import { plain } from "../text.ts";

type Found = { tab: ListedTab } | { several: readonly ListedTab[] } | undefined;

/** Finds a tab by the id of its panel, by its own id, by its name, or by its kind. */
export async function findTab(workspace: Workspace, named: string, kind?: string): Promise<ListedTab | Refusal> {
  const tabs = await workspace.tabs();
  const found = pick(tabs, named, kind);
  if (found && "tab" in found) return found.tab;
  const what = kind ?? "panel";
  if (found) {
    const lines = found.several.map((tab) => `${tab.tabId}  in panel ${tab.panelId}`);
    const said = `${found.several.length} ${what}s are called "${plain(named)}".`;
    return refuse("panel-ambiguous", said, "Name one by the id of its tab:", ...lines);
  }
  const other = pick(tabs, named, undefined);
  if (other && "tab" in other) {
    return refuse(
      "wrong-panel-type",
      `${plain(other.tab.name)} is a ${other.tab.kind}. This command is for a ${what}.`,
    );
  }
  const listed = tabs.map((tab) => `${tab.panelId}  ${plain(tab.name)} (${tab.kind})`);
  const next = listed.length > 0 ? ["Open panels, with their ids:", ...listed] : ["No panel is open."];
  return refuse("panel-unknown", `No ${what} is called "${plain(named)}".`, ...next);
}

/** The text on a tab without a name: the file, or the title of the page. */
function seenAs({ panelState: { path, title } }: ListedTab): string | undefined {
  if (typeof path === "string") return path.split("/").at(-1);
  return typeof title === "string" ? title : undefined;
}

function pick(tabs: readonly ListedTab[], named: string, kind: string | undefined): Found {
  const fitting = tabs.filter((tab) => kind === undefined || tab.kind === kind);
  const ways: ((tab: ListedTab) => boolean)[] = [
    (tab) => tab.panelId === named && tab.active,
    (tab) => tab.tabId === named,
    (tab) => tab.name === named,
    (tab) => seenAs(tab) === named,
    (tab) => tab.kind === named,
  ];
  for (const fits of ways) {
    const several = fitting.filter(fits);
    const [tab] = several;
    if (tab) return several.length === 1 ? { tab } : { several };
  }
  return undefined;
}

/** Shows the tab if another one is in front: calls to a panel go to its active tab. */
export async function inFront(workspace: Workspace, tab: ListedTab): Promise<string> {
  if (!tab.active) await workspace.showTab({ tabId: tab.tabId, panelId: tab.panelId });
  return tab.panelId;
}
