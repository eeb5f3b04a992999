import type {
  AddSplit,
  AddTab,
  ChangeTab,
  CloseTab,
  MoveTab,
  ResizeSplit,
  UndoChange,
} from "@backplane/contract/panels";
import { type Answer, type Call, call } from "../calls/call.ts";

export type WorkspaceName = { owner: string; repo: string };

const workspacePath = ({ owner, repo }: WorkspaceName, rest: string): string =>
  `/api/workspaces/editor/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/current${rest}`;

/** The page of a workspace. */
export const workspaceAddress = ({ owner, repo }: WorkspaceName): string =>
  `/w/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`;

/** What an edit answers: the layout that has it, as far as the route tells. */
export type Edit = { revision?: number };
export type Opened = Edit & { tabId: string; panelId: string; newPanelId?: string };

/** The layout's own routes, the ones that programs use. */
export type LayoutCalls = {
  addTab(body: AddTab): Promise<Answer<Opened>>;
  closeTab(body: CloseTab): Promise<Answer<Edit | undefined>>;
  changeTab(body: ChangeTab): Promise<Answer<Edit | undefined>>;
  addSplit(body: AddSplit): Promise<Answer<Opened>>;
  resizeSplit(body: ResizeSplit): Promise<Answer<Edit | undefined>>;
  moveTab(body: MoveTab): Promise<Answer<Edit | undefined>>;
  undo(body: UndoChange): Promise<Answer<Edit | undefined>>;
};

export function layoutCalls(workspace: WorkspaceName, ask: typeof call = call): LayoutCalls {
  const to =
    <Body, T>(method: Call["method"], rest: string) =>
    (body: Body) =>
      ask<T>({ method, path: workspacePath(workspace, rest), body });
  return {
    addTab: to("POST", "/tabs"),
    closeTab: to("DELETE", "/tabs"),
    changeTab: to("PATCH", "/tabs"),
    addSplit: to("POST", "/splits"),
    resizeSplit: to("PATCH", "/splits"),
    moveTab: to("POST", "/moves"),
    undo: to("POST", "/undo"),
  };
}
