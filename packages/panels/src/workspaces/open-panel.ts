import {
  type AddedTab,
  type CatalogPanel,
  identifierOf,
  type JsonObject,
  type NewPanel,
  type Tab,
} from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import { Problem } from "@backplane/kit/problems";
import type { Catalog } from "../catalog/catalog.ts";
import { checkState, expectStateSize, patchTab } from "../catalog/panel-state.ts";
import { activateTab, changeTab } from "../layout/edits.ts";
import { type FoundTab, leavesOf, newId, type Root } from "../layout/tree.ts";
import { checkOwnState, expectOnly, findOnly, rulesFor } from "../packages/package-rules.ts";
import { driverOf } from "../route-options.ts";
import type { Services, Workspace } from "../services.ts";
import { readIcon } from "./tab-icon.ts";
import { nameOf } from "./tab-list.ts";

/** Opens a new tab; or, with `reuse`, shows one that is already open. */
export async function openPanel(
  services: Pick<Services, "catalog" | "workspaces" | "log" | "packageRules">,
  { workspace, caller }: { workspace: Workspace; caller: Caller },
  body: NewPanel & { revision?: number | undefined },
  place: (root: Root, tab: Tab) => { root: Root; panelId: string },
): Promise<AddedTab> {
  const { catalog, workspaces, log } = services;
  const { panel, tab } = await wantedTab(catalog, body);
  const rules = await rulesFor(services, workspace.id, tab);
  checkOwnState(rules, tab.panelState, statePointer(body));
  const how = { background: body.background, drivenBy: driverOf(caller) };
  const { revision, answer } = await workspaces.edit(
    workspace.id,
    (root) => {
      const only = findOnly(root, rules, tab);
      const open = body.reuse === true ? (only ?? findReusable(root, panel, tab.displayName)) : undefined;
      if (open) {
        const answer = { tabId: open.tab.id, panelId: open.leaf.id, reused: true };
        return { root: reuseTab(root, open, tab, how), answer };
      }
      expectOnly(root, rules, tab);
      const opened: Tab = { id: newId("tab"), ...tab };
      const { root: next, panelId } = place(root, opened);
      return { root: next, answer: { tabId: opened.id, panelId, reused: false } };
    },
    { undoable: true, revision: body.revision },
  );
  log.note(workspace.id, "info", "panels", `${answer.reused ? "Showed" : "Opened"} ${nameOf(tab)}`);
  return { ...answer, built: panel.built, revision };
}

/** The requested tab without its id, checked against the catalog. Opening a tab does not count as driving it. */
async function wantedTab(catalog: Catalog, body: NewPanel): Promise<{ panel: CatalogPanel; tab: Omit<Tab, "id"> }> {
  const { panelType } = body;
  const panel = catalog.find(panelType);
  if (!panel) {
    throw new Problem("panel-type-unknown", {
      detail: "/panelType is not in the catalog. GET /api/panels/catalog lists all panels.",
      errors: [{ pointer: "/panelType", message: "is not in the catalog" }],
    });
  }
  const displayName = body.displayName ?? body.name;
  const tab = {
    ...(panel.aliases.includes(panelType) ? { panelType, aliasOf: panel.identifier } : { panelType: panel.identifier }),
    panelState: wantedState(panel, body),
    ...(displayName === undefined ? {} : { displayName }),
    ...(body.displayIcon === undefined ? {} : { displayIcon: await readIcon(body.displayIcon) }),
  };
  return { panel, tab };
}

const statePointer = ({ initialState, panelState }: NewPanel): string =>
  initialState === undefined && panelState !== undefined ? "/panelState" : "/initialState";

function wantedState(panel: CatalogPanel, body: NewPanel): JsonObject {
  const { initialState, panelState } = body;
  const pointer = statePointer(body);
  return checkState(panel, expectStateSize(initialState ?? panelState ?? {}, pointer), pointer);
}

/** An open tab of that name and type; for singletons, of that type. */
function findReusable(root: Root, panel: CatalogPanel, displayName: string | undefined): FoundTab | undefined {
  for (const leaf of leavesOf(root)) {
    const tab = leaf.tabs.find(
      (each) => identifierOf(each) === panel.identifier && (panel.singleton || each.displayName === displayName),
    );
    if (tab) return { tab, leaf };
  }
  return undefined;
}

/** Shows an open tab and merges the given state into its own. A program that sends a state drives the tab. */
function reuseTab(
  root: Root,
  { tab: open }: FoundTab,
  { panelState }: Omit<Tab, "id">,
  { background = false, drivenBy }: { background?: boolean | undefined; drivenBy: string | undefined },
): Root {
  const state = { ...panelState };
  const driver = Object.keys(state).length === 0 ? undefined : drivenBy;
  // As navigate does: the same address again loads the page again.
  if ("url" in state) state.visit = Number(open.panelState.visit ?? 0) + 1;
  const patched = changeTab(root, open.id, (tab) => patchTab(tab, state, driver));
  return background ? patched : activateTab(patched, open.id);
}
