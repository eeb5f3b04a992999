import { openCalls, type PanelsOptions, withFields } from "./call.ts";
import { PanelsError } from "./errors.ts";
import type {
  CatalogPanel,
  EvalResult,
  ListedTab,
  LogEntry,
  LogQuery,
  NewLogEntry,
  NewSplit,
  NewTab,
  OpenedSplit,
  OpenedTab,
  PanelState,
  Screenshot,
  ScreenshotOptions,
  ScreenshotStatus,
  TabMove,
  WebviewReport,
  WorkspaceLayout,
  WorkspaceProbe,
  WorkspaceSummary,
} from "./types.ts";

export type WorkspaceOptions = PanelsOptions & {
  /** Oneself, or an organisation one is in. */
  owner: string;
  repo: string;
};

/** The calls that drive one workspace. Nothing is asked before the first of them; a workspace is made by its first use. */
export type Workspace = ReturnType<typeof openWorkspace>;

/** The default of the server, for calls that say nothing: the answer may take that long. */
const EVAL_MS = 5_000;
const SHARING_S = 10;
const SHOT_MS = 15_000;

export function openWorkspace(options: WorkspaceOptions) {
  const call = openCalls(options);
  const name = [options.owner, options.repo].map(nameIn).join("/");
  const current = `/api/workspaces/editor/${name}/current`;
  const webview = `/api/panels/webview/${name}`;
  const sandbox = `/api/panels/sandbox/${name}`;

  return {
    /** Where people see it. */
    page: `${options.baseUrl.replace(/\/+$/, "")}/w/${name}`,
    layout: async () => withFields<WorkspaceLayout>(await call("GET", current), "revision", "root"),
    tabs: async () => withFields<{ tabs: ListedTab[] }>(await call("GET", `${current}/tabs`), "tabs").tabs,
    /** Whether a browser has it open, and shares its screen: cheap, ask it first. */
    probe: async () => withFields<WorkspaceProbe>(await call("GET", `${current}/probe`), "browser_connected"),

    /** Opens a panel as a tab: in the panel that is named, else in the first. */
    openTab: async (panel: NewTab) =>
      withFields<OpenedTab>(await call("POST", `${current}/tabs`, panel), "tabId", "panelId"),
    /** Opens a panel beside another one. */
    split: async (panel: NewSplit) =>
      withFields<OpenedSplit>(await call("POST", `${current}/splits`, panel), "newPanelId", "tabId"),
    closeTab: async (which: { tabId: string; panelId?: string | undefined } | { name: string }) =>
      void (await call("DELETE", `${current}/tabs`, which)),
    showTab: async (which: { tabId: string; panelId?: string | undefined }) =>
      void (await call("PATCH", `${current}/tabs`, { ...which, active: true })),
    setState: async (which: { tabId: string; panelState: PanelState }) =>
      void (await call("PATCH", `${current}/tabs`, which)),
    moveTab: async (move: TabMove) => void (await call("POST", `${current}/moves`, move)),
    resizeSplit: async (resize: { splitId: string; ratio: number }) =>
      void (await call("PATCH", `${current}/splits`, resize)),
    /** Takes the last change of the layout back. */
    undo: async () => void (await call("POST", `${current}/undo`, {})),

    navigate: async (panelId: string, url: string) =>
      void (await call("PATCH", webview, { panelId, action: "navigate", url })),
    refresh: async (panelId: string) => void (await call("PATCH", webview, { panelId, action: "refresh" })),
    setProxyEnabled: async (panelId: string, enabled: boolean) =>
      void (await call("PATCH", webview, { panelId, action: "setProxyEnabled", enabled })),
    /** What the web view shows now. */
    webview: async (panelId: string) =>
      withFields<WebviewReport>(await call("GET", `${webview}?panelId=${encodeURIComponent(panelId)}`), "tabId", "url"),
    setHeaderHidden: async (kind: "webview" | "sandbox", panelId: string, hidden: boolean) =>
      void (await call("PATCH", kind === "webview" ? webview : sandbox, {
        panelId,
        action: "setHeaderHidden",
        hidden,
      })),

    /** Runs JavaScript in a sandbox, as a console would. What the code throws is `status: "error"`, not an exception. */
    eval: async (panelId: string, code: string, { timeoutMs }: { timeoutMs?: number | undefined } = {}) =>
      withFields<EvalResult>(
        await call("PATCH", sandbox, { panelId, action: "eval", code, timeoutMs }, timeoutMs ?? EVAL_MS),
        "status",
      ),
    /** What became of code that was queued. */
    evalResult: async (id: string) =>
      withFields<EvalResult>(await call("GET", `${sandbox}/evals/${encodeURIComponent(id)}`), "status"),
    /** A new, empty sandbox: always works, also after an endless loop. */
    reset: async (panelId: string) => void (await call("PATCH", sandbox, { panelId, action: "reset" })),

    screenshot: async (shot: ScreenshotOptions = {}) => {
      const waitMs = (shot.waitForSharing ?? SHARING_S) * 1_000 + SHOT_MS;
      return withFields<Screenshot>(await call("PATCH", `${current}/screenshot`, shot, waitMs), "path", "width");
    },
    screenshotStatus: async () =>
      withFields<ScreenshotStatus>(await call("GET", `${current}/screenshot`), "sharing", "availableScopes"),

    /** Writes into the log that the workspace's people read. */
    log: async (...entries: NewLogEntry[]) => void (await call("POST", `${current}/log`, { entries })),
    /** The newest lines, the oldest of them first; with `level` those of it and above. */
    readLog: async (which: LogQuery = {}) =>
      withFields<{ entries: LogEntry[] }>(await call("GET", `${current}/log${queryOf(which)}`), "entries").entries,
  };
}

/** Every panel there is. */
export async function listPanels(options: PanelsOptions): Promise<CatalogPanel[]> {
  const answer = await openCalls(options)("GET", "/api/panels/catalog");
  return withFields<{ panels: CatalogPanel[] }>(answer, "panels").panels;
}

/** The workspaces that there are of oneself and one's organisations. */
export async function listWorkspaces(options: PanelsOptions): Promise<WorkspaceSummary[]> {
  const answer = await openCalls(options)("GET", "/api/workspaces");
  return withFields<{ workspaces: WorkspaceSummary[] }>(answer, "workspaces").workspaces;
}

function queryOf(which: LogQuery): string {
  const given = Object.entries(which).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

function nameIn(text: string): string {
  if (/^[\w.-]{1,100}$/.test(text)) return encodeURIComponent(text);
  throw new PanelsError(
    "invalid-option",
    `"${text.slice(0, 100)}" names no workspace: use letters, digits, - _ and dots.`,
    {
      field: "repo",
    },
  );
}
