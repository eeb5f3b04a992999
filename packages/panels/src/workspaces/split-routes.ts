import {
  AddedSplit,
  AddSplit,
  LayoutChange,
  MovedTab,
  MoveTab,
  ResizeSplit,
  type Tab,
  UndoChange,
  UndoneChange,
} from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import { moveTab, resizeSplit, splitLeaf } from "../layout/edits.ts";
import { expectTab } from "../layout/expect.ts";
import { newId } from "../layout/tree.ts";
import { rulesFor } from "../packages/package-rules.ts";
import { invalidField } from "../problems.ts";
import { about, CHANGING, CURRENT, EDIT_PROBLEMS, OPEN_PROBLEMS } from "../route-options.ts";
import type { Services } from "../services.ts";
import { openPanel } from "./open-panel.ts";
import { nameOf } from "./tab-list.ts";

/** …/current/splits, /moves and /undo: where panels are. */
export function serveSplits(
  app: App,
  services: Pick<Services, "catalog" | "workspaces" | "log" | "packageRules">,
): void {
  const { workspaces, log } = services;
  serveMoves(app, services);

  app.post(
    `${CURRENT}/splits`,
    {
      ...CHANGING,
      schema: {
        ...about(
          "Open a panel beside another one",
          "`newPanelId` is where it is. An empty panel is not split: it takes the tab itself.",
          OPEN_PROBLEMS,
        ),
        body: AddSplit,
        response: { 200: AddedSplit, 201: AddedSplit },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const { panelId, direction, position, ratio } = body;
      const opened = await openPanel(services, await workspaces.open(request), body, (root, tab) => {
        const beside = { direction, position, ratio, newPanelId: newId("panel"), newSplitId: newId("split") };
        const split = splitLeaf(root, panelId, tab, beside);
        return { root: split.root, panelId: split.newPanelId };
      });
      reply.code(opened.reused ? 200 : 201);
      return { ...opened, newPanelId: opened.panelId, panelId };
    },
  );

  app.patch(
    `${CURRENT}/splits`,
    {
      ...CHANGING,
      schema: {
        ...about("Move the border between two halves", undefined, [...EDIT_PROBLEMS, "split-unknown"]),
        body: ResizeSplit,
        response: { 200: LayoutChange },
      },
    },
    async (request) => {
      const { workspace } = await workspaces.open(request);
      const { splitId, ratio, revision: wanted } = request.body;
      const { revision, answer } = await workspaces.edit(
        workspace.id,
        (root) => {
          const next = resizeSplit(root, splitId, ratio);
          return { root: next, answer: next !== root };
        },
        { undoable: true, revision: wanted },
      );
      if (answer) log.note(workspace.id, "debug", "panels", "Resized panels");
      return { revision };
    },
  );
}

function serveMoves(app: App, services: Pick<Services, "workspaces" | "log" | "packageRules">): void {
  const { workspaces, log } = services;
  app.post(
    `${CURRENT}/moves`,
    {
      ...CHANGING,
      schema: {
        ...about(
          "Move a tab",
          "Into another panel, at a place in it; or, with `direction`, into a new panel beside the target.",
          EDIT_PROBLEMS,
        ),
        body: MoveTab,
        response: { 200: MovedTab },
      },
    },
    async (request) => {
      const { workspace } = await workspaces.open(request);
      const { body } = request;
      checkMove(body);
      const { sourcePanelId, tabId, targetPanelId, index, direction, position } = body;
      const { revision, answer } = await workspaces.edit(
        workspace.id,
        (root) => {
          expectTab(root, tabId, sourcePanelId, "/sourcePanelId");
          const ids = { newPanelId: newId("panel"), newSplitId: newId("split") };
          const beside = direction && { direction, position, ...ids };
          const next = moveTab(root, { tabId, targetPanelId, index, beside });
          const { tab, leaf } = expectTab(next, tabId);
          return { root: next, answer: { name: nameOf(tab), panelId: leaf.id, isMoved: next !== root } };
        },
        { undoable: true, revision: body.revision },
      );
      if (answer.isMoved) log.note(workspace.id, "info", "panels", `Moved ${answer.name}`);
      return { revision, panelId: answer.panelId };
    },
  );

  app.post(
    `${CURRENT}/undo`,
    {
      ...CHANGING,
      schema: {
        ...about(
          "Undo the last change of the layout",
          "Tabs keep their contents. With `revision`: only if that is the change to undo; else 409. A panel that a workspace has once, and that is open elsewhere, does not come back; `leftOut` says so.",
          [...EDIT_PROBLEMS, "nothing-to-undo"],
        ),
        body: Type.Optional(Type.Union([UndoChange, Type.Null()])),
        response: { 200: UndoneChange },
      },
    },
    async (request) => {
      const { workspace } = await workspaces.open(request);
      const titles = new Map<string, string>();
      const isOnce = async (tab: Tab) => {
        const rules = await rulesFor(services, workspace.id, tab);
        titles.set(tab.id, rules?.title ?? nameOf(tab));
        return rules?.singleton === true;
      };
      const { revision, seconds } = await workspaces.undo(workspace.id, request.body?.revision, isOnce);
      const leftOut = seconds.map(
        ({ id }) => `${titles.get(id)} did not come back: it is open already, and a workspace has it once.`,
      );
      for (const words of ["Undid a change of the layout", ...leftOut]) log.note(workspace.id, "info", "panels", words);
      return { revision, ...(leftOut.length > 0 ? { leftOut } : {}) };
    },
  );
}

/** If a field without effect were ignored, the tab would end up in another place than the caller asked for. */
function checkMove({ index, direction, position }: MoveTab): void {
  if (direction === undefined && position !== undefined) {
    throw invalidField("/direction", "is missing, and position needs it");
  }
  if (direction !== undefined && index !== undefined) throw invalidField("/index", "and direction exclude each other");
}
