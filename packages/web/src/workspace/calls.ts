import type {
  AddSplit,
  AddTab,
  ChangeTab,
  CloseTab,
  MoveTab,
  ResizeSplit,
  UndoChange,
  WorkspaceParams,
} from "@backplane/contract/panels";
import { type Answer, type Call, call } from "../calls/call.ts";

export type WorkspaceName = Readonly<WorkspaceParams>;

/** The workspace itself, to rename or delete it. */
export const workspacePath = (workspace: WorkspaceName): string => `/api/workspaces/editor/${ownerAndRepo(workspace)}`;

/** A route of a workspace, such as `/tabs`. */
export const workspaceRoute = (workspace: WorkspaceName, rest: string): string =>
  `${workspacePath(workspace)}/current${rest}`;

/** The routes by which programs and pages control a kind of panel. */
export const panelRoute = (kind: "webview" | "sandbox", workspace: WorkspaceName): string =>
  `/api/panels/${kind}/${ownerAndRepo(workspace)}`;

const ownerAndRepo = ({ owner, repo }: WorkspaceName): string =>
  `${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`;

/** The page of a workspace. */
export const workspaceAddress = (workspace: WorkspaceName): string => `/w/${ownerAndRepo(workspace)}`;

/** The answer to an edit: the revision of the layout that has it. */
export type Edit = { revision?: number };
export type Opened = Edit & { tabId: string; panelId: string; newPanelId?: string };

/** The routes that change the layout. Programs use the same ones. */
export type LayoutCalls = {
  addTab(body: AddTab): Promise<Answer<Opened>>;
  closeTab(body: CloseTab): Promise<Answer<Edit | undefined>>;
  changeTab(body: ChangeTab): Promise<Answer<Edit | undefined>>;
  addSplit(body: AddSplit): Promise<Answer<Opened>>;
  resizeSplit(body: ResizeSplit): Promise<Answer<Edit | undefined>>;
  moveTab(body: MoveTab): Promise<Answer<Edit | undefined>>;
  undo(body: UndoChange): Promise<Answer<(Edit & { leftOut?: string[] }) | undefined>>;
};

export function layoutCalls(workspace: WorkspaceName, ask: typeof call = call): LayoutCalls {
  const to =
    <Body, T>(method: Call["method"], rest: string) =>
    (body: Body) =>
      ask<T>({ method, path: workspaceRoute(workspace, rest), body });
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
