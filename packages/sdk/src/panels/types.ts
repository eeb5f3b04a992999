// As on the wire, and written out: what installs the sdk installs nothing else of Backplane.

export type PanelData = null | boolean | number | string | PanelData[] | { [key: string]: PanelData };
export type PanelState = { [key: string]: PanelData };

export type WorkspaceTab = {
  id: string;
  /** As in the catalog: `<owner>/<panel_uuid>`. */
  panelType: string;
  panelState: PanelState;
  displayName?: string;
  displayIcon?: string;
  /** The program that last drove it. */
  drivenBy?: string;
};
export type WorkspaceLeaf = { type: "leaf"; id: string; tabs: WorkspaceTab[]; activeTabId: string | null };
export type WorkspaceSplit = {
  type: "split";
  id: string;
  direction: "horizontal" | "vertical";
  ratio: number;
  first: WorkspaceNode;
  second: WorkspaceNode;
};
export type WorkspaceNode = WorkspaceLeaf | WorkspaceSplit;
export type WorkspaceLayout = { revision: number; root: WorkspaceNode };

export type ListedTab = WorkspaceTab & { tabId: string; panelId: string; active: boolean; name: string; kind: string };

export type CatalogPanel = {
  identifier: string;
  /** A short name that also opens it, e.g. `webview`. */
  kind: string;
  name: string;
  category: string;
  icon: string;
  description: string;
  singleton: boolean;
  built: boolean;
  stateSchema: PanelState;
};

export type NewPanel = {
  /** An identifier of the catalog, or its short name such as `webview`. */
  panelType: string;
  displayName?: string | undefined;
  displayIcon?: string | undefined;
  /** For a web view `{ url }` loads a page at once. */
  initialState?: PanelState | undefined;
  /** A tab of this name and type that is open already is shown instead of a second one. */
  reuse?: boolean | undefined;
  /** Behind the tab that is active now. */
  background?: boolean | undefined;
};

/** `reused`: it was open already, and is shown. */
export type OpenedTab = { tabId: string; panelId: string; reused: boolean };
export type OpenedSplit = { newPanelId: string; panelId: string; tabId: string; reused: boolean };

export type WebviewReport = {
  panelId: string;
  tabId: string;
  url: string | null;
  title: string | null;
  scroll: { x: number; y: number; height: number } | null;
  loading: boolean;
  headerHidden: boolean;
  proxyEnabled: boolean;
  /** Whether a browser shows it now. */
  live: boolean;
  fault: string | null;
};

export type EvalLog = { level: "log" | "info" | "warn" | "error" | "debug"; text: string };
export type EvalResult =
  | { status: "executed"; result?: PanelData; logs?: EvalLog[]; durationMs?: number }
  | { status: "error"; error: string; logs?: EvalLog[]; durationMs?: number }
  /** No browser shows the sandbox: the code runs when one does. `evalResult(id)` asks for it later. */
  | { status: "queued"; id: string };

export type ScreenshotScope = "panel" | "workspace" | "screen";
export type ScreenshotOptions = {
  /** A panel when one is named, else the workspace. */
  scope?: ScreenshotScope | undefined;
  panelId?: string | undefined;
  tabId?: string | undefined;
  name?: string | undefined;
  method?: "element-capture" | "html2canvas" | undefined;
  /** Shown to the user who is asked to share. */
  reason?: string | undefined;
  /** Seconds to wait for the user to share. */
  waitForSharing?: number | undefined;
  /** The longer side at most, in pixels: 1568 unless given, 0 as it is. */
  maxDimension?: number | undefined;
  /** Put the picture into the answer, as a data URL. */
  inline?: boolean | undefined;
};
export type Screenshot = {
  path: string;
  url: string;
  width: number;
  height: number;
  originalWidth: number;
  originalHeight: number;
  scale: number;
  scope: string;
  method: string;
  mimeType: string;
  size: number;
  dataUrl?: string;
};
export type ScreenshotStatus = {
  sharing: { active: boolean; displaySurface: "browser" | "window" | "monitor" | null };
  availableScopes: ScreenshotScope[];
};
export type WorkspaceProbe = { browser_connected: boolean; sse_connections: number; sharing: boolean };
export type LogEntry = {
  id: number;
  at: string;
  level: "debug" | "info" | "warn" | "error";
  source: string;
  message: string;
};
export type NewLogEntry = { level?: LogEntry["level"]; source?: string; message: string };
/** `after`: only lines after the one of this id. */
export type LogQuery = {
  after?: number | undefined;
  level?: LogEntry["level"] | undefined;
  source?: string | undefined;
};
