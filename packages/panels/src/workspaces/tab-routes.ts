import { AddedTab, AddTab, ChangeTab, ClosedTab, CloseTab, LayoutChange, ListedTabs } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { panelOf } from "../catalog/catalog.ts";
import { checkState, mergeState, patchTab } from "../catalog/panel-state.ts";
import { activateTab, addTab, changeTab, closeTab, renameTab } from "../layout/edits.ts";
import { expectTab } from "../layout/expect.ts";
import { findTab, firstLeaf, type Root } from "../layout/tree.ts";
import { checkOwnState, expectOnly, type PackageRules, rulesFor } from "../packages/package-rules.ts";
import {
  about,
  aboutReading,
  CHANGING,
  CURRENT,
  driverOf,
  EDIT_PROBLEMS,
  OPEN_PROBLEMS,
  READING,
} from "../route-options.ts";
import type { Services, Workspace } from "../services.ts";
import { openPanel } from "./open-panel.ts";
import { listTabs, nameOf, tabToClose } from "./tab-list.ts";

/** …/current/tabs */
export function serveTabs(app: App, services: Pick<Services, "catalog" | "workspaces" | "log" | "packageRules">): void {
  const { workspaces, log } = services;
  app.get(
    `${CURRENT}/tabs`,
    { ...READING, schema: { ...aboutReading("All tabs"), response: { 200: ListedTabs } } },
    async (request) => {
      const { layout } = (await workspaces.open(request)).workspace;
      return { revision: layout.revision, tabs: listTabs(layout.root) };
    },
  );

  app.post(
    `${CURRENT}/tabs`,
    {
      ...CHANGING,
      schema: {
        ...about(
          "Open a panel as a tab",
          "Without `panelId` in the first panel. With `reuse` a tab of that name and type is shown instead of a second " +
            "one: 200.",
          OPEN_PROBLEMS,
        ),
        body: AddTab,
        response: { 200: AddedTab, 201: AddedTab },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const opened = await openPanel(services, await workspaces.open(request), body, (root, tab) => {
        const panelId = body.panelId ?? firstLeaf(root).id;
        return { root: addTab(root, tab, { panelId, background: body.background }), panelId };
      });
      reply.code(opened.reused ? 200 : 201);
      return opened;
    },
  );

  app.delete(
    `${CURRENT}/tabs`,
    {
      ...CHANGING,
      schema: {
        ...about(
          "Close a tab",
          "By `tabId`, or by `name` when exactly one tab has it; else 409 and nothing is closed.",
          [...EDIT_PROBLEMS, "tab-name-ambiguous"],
        ),
        body: CloseTab,
        response: { 200: ClosedTab },
      },
    },
    async (request) => {
      const { workspace } = await workspaces.open(request);
      const { body } = request;
      const { revision, answer } = await workspaces.edit(
        workspace.id,
        (root) => {
          const tab = tabToClose(root, body);
          return { root: closeTab(root, tab.id), answer: tab };
        },
        { undoable: true, revision: body.revision },
      );
      log.note(workspace.id, "info", "panels", `Closed ${nameOf(answer)}`);
      return { revision, tabId: answer.id };
    },
  );

  app.patch(
    `${CURRENT}/tabs`,
    {
      ...CHANGING,
      schema: {
        ...about("Show a tab, rename it, or change its state", "`panelState` is merged key by key; null removes one.", [
          ...EDIT_PROBLEMS,
          "singleton-panel",
        ]),
        body: ChangeTab,
        response: { 200: LayoutChange },
      },
    },
    async (request) => {
      const { workspace, caller } = await workspaces.open(request);
      const { body } = request;
      const rules = await rulesAfter(services, workspace, body);
      const { revision, answer } = await workspaces.edit(
        workspace.id,
        (root) => {
          expectTab(root, body.tabId, body.panelId);
          const next = changed(root, body, driverOf(caller));
          const { tab } = expectTab(next, body.tabId);
          if (body.panelState?.package !== undefined) expectOnly(next, rules, tab);
          if (body.panelState !== undefined) checkOwnState(rules, tab.panelState, "/panelState");
          return { root: next, answer: next === root ? undefined : nameOf(expectTab(next, body.tabId).tab) };
        },
        { undoable: false, revision: body.revision },
      );
      if (answer !== undefined) log.note(workspace.id, "info", "panels", `${whatChanged(body)} ${answer}`);
      return { revision };
    },
  );
}

/** Of the package that the tab shows when its state is changed. */
async function rulesAfter(
  services: Pick<Services, "packageRules">,
  { id, layout }: Workspace,
  { tabId, panelState }: ChangeTab,
): Promise<PackageRules | undefined> {
  const found = panelState && findTab(layout.root, tabId);
  if (!found) return undefined;
  return rulesFor(services, id, { ...found.tab, panelState: mergeState(found.tab.panelState, panelState) });
}

function changed(
  root: Root,
  { tabId, active, displayName, panelState }: ChangeTab,
  drivenBy: string | undefined,
): Root {
  let next = root;
  if (displayName !== undefined) next = renameTab(next, tabId, displayName);
  if (panelState !== undefined) {
    next = changeTab(next, tabId, (tab) => {
      const panel = panelOf(tab);
      if (panel) checkState(panel, mergeState(tab.panelState, panelState), "/panelState");
      return patchTab(tab, panelState, drivenBy);
    });
  }
  return active ? activateTab(next, tabId) : next;
}

const whatChanged = ({ displayName, panelState }: ChangeTab): string =>
  panelState !== undefined ? "Changed" : displayName !== undefined ? "Renamed to" : "Showed";
