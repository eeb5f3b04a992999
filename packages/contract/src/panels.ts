import { type Static, Type } from "typebox";

/** Every limit of the area. */
export const PANELS_LIMITS = {
  maxTabs: 200,
  maxDepth: 32,
  /** A tab's `panelState`, as JSON text in UTF-8. */
  maxStateBytes: 32_768,
  maxStateDepth: 100,
  maxNameLength: 120,
  maxUrlLength: 4_096,
  maxCodeBytes: 524_288,
  /** The result of a piece of code, with its logs, as JSON text in UTF-8. */
  maxResultBytes: 524_288,
  maxLogs: 200,
  evalTimeoutMs: 5_000,
  maxEvalTimeoutMs: 60_000,
  /** Per sandbox: code that waits for a browser. */
  maxQueuedEvals: 100,
  /** How long code waits for a browser, and a result for whoever picks it up. */
  queuedEvalLifeMs: 3_600_000,
  evalResultLifeMs: 600_000,
  /** Per workspace: what browsers were asked and have not answered. */
  maxPendingOrders: 2_000,
  refreshTimeoutMs: 10_000,
  shotTimeoutMs: 15_000,
  defaultWaitForSharingS: 10,
  maxWaitForSharingS: 300,
  maxReasonLength: 300,
  maxShotBytes: 33_554_432,
  maxShotPixels: 67_108_864,
  defaultMaxDimension: 1_568,
  pngCompressionLevel: 9,
  minRatio: 0.05,
  maxUndo: 50,
  /** The whole layout with what its tabs hold, as JSON text in UTF-8. */
  maxLayoutBytes: 1_048_576,
  /** Per workspace and instance: changes that wait for their turn. */
  maxWaitingEdits: 2_000,
  /** Browsers and event streams of one workspace. */
  maxBrowsers: 50,
  presenceLifeMs: 25_000,
  presenceBeatMs: 8_000,
  ticketLifeMs: 30_000,
  /** A browser shows anew that its user is still signed in. */
  leaseMs: 150_000,
  /** Event streams end after this; their reader connects anew, and shows who it is. */
  eventStreamLifeMs: 900_000,
  /** How often it is asked whether whoever reads a stream still may. */
  eventStreamCheckMs: 60_000,
  maxWorkspacesPerOwner: 1_000,
  maxWorkspacesListed: 200,
  maxLogEntries: 2_000,
  maxLogMessageLength: 2_000,
  maxFileBytes: 16_777_216,
  maxTextFileBytes: 2_097_152,
  maxFilesListed: 5_000,
  /** All files of a project together, for one that grows. */
  maxProjectBytes: 2_147_483_648,
} as const;

/** `owner` and `repo` in addresses. */
const OWNER_PATTERN = "^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,37}[a-zA-Z0-9])?$";
export const REPO_PATTERN = "^[a-zA-Z0-9_](?:[a-zA-Z0-9._-]{0,98}[a-zA-Z0-9_-])?$";
const ID_PATTERN = "^[a-zA-Z0-9_-]{1,64}$";
const NODE_ID = Type.String({ pattern: ID_PATTERN });

export const WorkspaceParams = Type.Object({
  owner: Type.String({ pattern: OWNER_PATTERN }),
  repo: Type.String({ pattern: REPO_PATTERN }),
});
export type WorkspaceParams = Static<typeof WorkspaceParams>;

export type JsonObject = { [key: string]: JsonData };
export type JsonData = null | boolean | number | string | JsonData[] | JsonObject;

export const PANEL_CATEGORIES = ["Development", "Control", "Visualization", "Media", "Utility"] as const;
export type PanelCategory = (typeof PANEL_CATEGORIES)[number];

/** One line of GET /api/panels/catalog. */
export type CatalogPanel = {
  /** `<owner>/<panel_uuid>` */
  identifier: string;
  /** A short name that also opens it, e.g. `webview`. */
  kind: string;
  name: string;
  category: PanelCategory;
  icon: string;
  description: string;
  singleton: boolean;
  /** Not built yet: it opens, and says so. */
  built: boolean;
  /** JSON Schema of `initialState` and `panelState`. */
  stateSchema: JsonObject;
};

export type Tab = {
  id: string;
  /** `<owner>/<panel_uuid>`, as in the catalog. */
  panelType: string;
  panelState: JsonObject;
  /** Chosen by whoever opened it: a stable handle, and what its tab says. */
  displayName?: string;
  displayIcon?: string;
  /** The program that last drove it. */
  drivenBy?: string;
};
export type Leaf = { type: "leaf"; id: string; tabs: Tab[]; activeTabId: string | null };
export type Split = {
  type: "split";
  id: string;
  /** horizontal: side by side; vertical: one above the other. */
  direction: "horizontal" | "vertical";
  /** The share of `first`. */
  ratio: number;
  first: LayoutNode;
  second: LayoutNode;
};
export type LayoutNode = Leaf | Split;
export type Layout = { revision: number; root: LayoutNode };

export const TabSchema = Type.Object({
  id: Type.String(),
  panelType: Type.String(),
  panelState: Type.Record(Type.String(), Type.Any()),
  displayName: Type.Optional(Type.String()),
  displayIcon: Type.Optional(Type.String()),
  drivenBy: Type.Optional(Type.String()),
});

/** What a client sends to open a panel. */
const NEW_PANEL = {
  panelType: Type.String({
    minLength: 1,
    maxLength: 120,
    description: "As in the catalog, or its short name: webview",
  }),
  displayName: Type.Optional(Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxNameLength })),
  displayIcon: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
  initialState: Type.Optional(Type.Record(Type.String(), Type.Any())),
  /** A tab of this `displayName` and type that is open already is shown, and its state set, instead of a second one. */
  reuse: Type.Optional(Type.Boolean()),
  /** Open it behind the tab that is active now. */
  background: Type.Optional(Type.Boolean()),
};
/** The layout must still be at this revision; else 409 layout-changed. */
const REVISION = { revision: Type.Optional(Type.Integer({ minimum: 0 })) };

export const AddTab = Type.Object({ panelId: Type.Optional(NODE_ID), ...NEW_PANEL, ...REVISION });
export type AddTab = Static<typeof AddTab>;
/** What each change answers: the revision that has it. `reused`: it was open already. */
const CHANGED = { revision: Type.Integer() };
const OPENED = { tabId: Type.String(), reused: Type.Boolean(), ...CHANGED };
export const AddedTab = Type.Object({ panelId: Type.String(), ...OPENED });
export const CloseTab = Type.Object({
  panelId: Type.Optional(NODE_ID),
  tabId: Type.Optional(NODE_ID),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxNameLength })),
  ...REVISION,
});
export type CloseTab = Static<typeof CloseTab>;
export const ChangeTab = Type.Object({
  panelId: Type.Optional(NODE_ID),
  tabId: NODE_ID,
  active: Type.Optional(Type.Literal(true)),
  displayName: Type.Optional(Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxNameLength })),
  /** Merged into the state key by key; null removes a key. */
  panelState: Type.Optional(Type.Record(Type.String(), Type.Any())),
  ...REVISION,
});
export type ChangeTab = Static<typeof ChangeTab>;
const DIRECTION = Type.Union([Type.Literal("horizontal"), Type.Literal("vertical")]);
const RATIO = Type.Number({ minimum: PANELS_LIMITS.minRatio, maximum: 1 - PANELS_LIMITS.minRatio });
const POSITION = Type.Union([Type.Literal("before"), Type.Literal("after")]);
export const AddSplit = Type.Object({
  panelId: NODE_ID,
  direction: DIRECTION,
  ...NEW_PANEL,
  position: Type.Optional(POSITION),
  ratio: Type.Optional(RATIO),
  ...REVISION,
});
export type AddSplit = Static<typeof AddSplit>;
export const AddedSplit = Type.Object({ newPanelId: Type.String(), panelId: Type.String(), ...OPENED });
export const ResizeSplit = Type.Object({ splitId: NODE_ID, ratio: RATIO, ...REVISION });
export type ResizeSplit = Static<typeof ResizeSplit>;
/** Into another panel, at a place in it; or, with `direction`, into a new panel beside the target. */
export const MoveTab = Type.Object({
  sourcePanelId: Type.Optional(NODE_ID),
  tabId: NODE_ID,
  targetPanelId: NODE_ID,
  index: Type.Optional(Type.Integer({ minimum: 0, maximum: PANELS_LIMITS.maxTabs })),
  direction: Type.Optional(DIRECTION),
  position: Type.Optional(POSITION),
  ...REVISION,
});
export type MoveTab = Static<typeof MoveTab>;
/** `revision`: only if that is the change to take back. */
export const UndoChange = Type.Object({ revision: Type.Optional(Type.Integer({ minimum: 0 })) });
export type UndoChange = Static<typeof UndoChange>;
export const LayoutChange = Type.Object(CHANGED);
/** `panelId`: where the tab is now. */
export const MovedTab = Type.Object({ panelId: Type.String(), ...CHANGED });

/** GET …/current/tabs */
export type ListedTab = Tab & { tabId: string; panelId: string; active: boolean; name: string; kind: string };

export type WorkspaceSummary = {
  owner: string;
  repo: string;
  tabs: number;
  updatedAt: string;
  browserConnected: boolean;
};
export type Probe = { browser_connected: boolean; sse_connections: number; sharing: boolean };

const PANEL = { panelId: NODE_ID };
export const WebviewAction = Type.Union([
  Type.Object({
    ...PANEL,
    action: Type.Literal("navigate"),
    url: Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxUrlLength }),
  }),
  Type.Object({ ...PANEL, action: Type.Literal("refresh") }),
  Type.Object({ ...PANEL, action: Type.Literal("setHeaderHidden"), hidden: Type.Boolean() }),
  Type.Object({ ...PANEL, action: Type.Literal("setProxyEnabled"), enabled: Type.Boolean() }),
]);
export type WebviewAction = Static<typeof WebviewAction>;

/** `panelState` of a web view. */
export type WebviewState = {
  url?: string;
  headerHidden?: boolean;
  proxyEnabled?: boolean;
  /** Of the page that is shown, as the proxy's tracker reported it. */
  title?: string;
  /** Goes up with every navigate: the same address again loads it again. */
  visit?: number;
};
/** GET /api/panels/webview/{owner}/{repo}?panelId= */
export type WebviewReport = {
  panelId: string;
  tabId: string;
  url: string | null;
  title: string | null;
  scroll: { x: number; y: number; height: number } | null;
  loading: boolean;
  headerHidden: boolean;
  proxyEnabled: boolean;
  /** Whether a browser shows it now, so that the above is what one sees. */
  live: boolean;
  /** Why the page is blank, if it is. */
  fault: string | null;
};

/** POST /api/panels/webview/{owner}/{repo}/framing {url}: whether a frame of ours can show a site, and why not. */
export type WebviewFraming = {
  framing: "allowed" | "refused" | "unknown";
  reason:
    | ("x-frame-options" | "frame-ancestors" | "mixed-content" | "port" | "download")
    | ("unreachable" | "name-not-found" | "timeout" | "certificate" | "private-address")
    | null;
};

export const SandboxAction = Type.Union([
  Type.Object({
    ...PANEL,
    action: Type.Literal("eval"),
    code: Type.String({ maxLength: PANELS_LIMITS.maxCodeBytes }),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 50, maximum: PANELS_LIMITS.maxEvalTimeoutMs })),
  }),
  Type.Object({ ...PANEL, action: Type.Literal("reset") }),
  Type.Object({ ...PANEL, action: Type.Literal("setHeaderHidden"), hidden: Type.Boolean() }),
]);
export type SandboxAction = Static<typeof SandboxAction>;

export type EvalResult =
  | { status: "executed"; result?: JsonData; logs?: EvalLog[]; durationMs?: number }
  | { status: "error"; error: string; logs?: EvalLog[]; durationMs?: number }
  | { status: "queued"; id: string };
/** `panelState` of a sandbox. */
export type SandboxState = {
  headerHidden?: boolean;
  /** Part of the frame's host name: another one is another frame. */
  generation?: number;
};
/** stuck: code of an earlier call does not end; gone: the code has left its document. A reset helps with both. */
export type SandboxStanding = "loading" | "ready" | "stuck" | "gone";
/** GET /api/panels/sandbox/{owner}/{repo}?panelId= */
export type SandboxReport = {
  panelId: string;
  tabId: string;
  headerHidden: boolean;
  generation: number;
  /** Whether a browser shows it now, and so runs code at once. */
  live: boolean;
  standing: SandboxStanding | null;
  queued: number;
};
/** GET …/evals/{id} */
export type EvalReport = { id: string } & (EvalResult | { status: "queued" });

/** One line that the code printed. */
export type EvalLog = { level: "log" | "info" | "warn" | "error" | "debug"; text: string };

/** Bounds that the frame of a sandbox keeps to, and the page expects. */
export type FrameBounds = {
  maxLogs: number;
  /** Output that belongs to no call. */
  maxLogsPerSecond: number;
  maxLogLength: number;
  maxResultBytes: number;
  maxErrorLength: number;
  /** Code that has not ended by then says that it waits for a promise. */
  waitingAfterMs: number;
};

/** From the page to the code's frame, over their port. */
export type PageToFrame =
  | { type: "eval"; id: number; code: string; isPrepared: boolean }
  | { type: "ping"; id: number }
  /** Of what shows where the page draws nothing. */
  | { type: "rasterise"; id: number; background: string };

export type FrameToPage =
  | { type: "ready" }
  | { type: "pong"; id: number }
  /** The code itself has run; the promise that it gave is open. */
  | { type: "waiting"; id: number }
  /** `id`: the call it belongs to, if one is under way. */
  | { type: "log"; id: number | null; level: EvalLog["level"]; text: string }
  | {
      type: "executed";
      id: number;
      /** Absent: undefined. */
      json?: string;
      /** As a console shows it. */
      text: string;
      durationMs: number;
    }
  | { type: "failed"; id: number; error: string; durationMs: number }
  | { type: "picture"; id: number; bytes: ArrayBuffer }
  | { type: "no-picture"; id: number; error: string };

/** Between the page and the outer document, which hands on the port and otherwise only looks. */
export type OuterToPage = { type: "sandbox-loaded" } | { type: "sandbox-gone" };
export type PageToOuter = { type: "sandbox-port" };

/** GET …/current/files */
export type ProjectFile = { path: string; size: number; modifiedAt: string };
export type FileList = { files: ProjectFile[]; truncated: boolean };

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export const NewLogEntry = Type.Object({
  level: Type.Optional(Type.Union(LOG_LEVELS.map((level) => Type.Literal(level)))),
  source: Type.Optional(Type.String({ pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]{0,39}$" })),
  message: Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxLogMessageLength }),
});
export type NewLogEntry = Static<typeof NewLogEntry>;
export type LogEntry = { id: number; at: string; level: LogLevel; source: string; message: string };

export const ScreenshotRequest = Type.Object({
  scope: Type.Optional(Type.Union([Type.Literal("panel"), Type.Literal("workspace"), Type.Literal("screen")])),
  panelId: Type.Optional(NODE_ID),
  tabId: Type.Optional(NODE_ID),
  /** Of the file, without its size and ending. */
  name: Type.Optional(Type.String({ pattern: "^[a-zA-Z0-9][a-zA-Z0-9 ._-]{0,79}$" })),
  method: Type.Optional(Type.Union([Type.Literal("element-capture"), Type.Literal("html2canvas")])),
  reason: Type.Optional(Type.String({ maxLength: PANELS_LIMITS.maxReasonLength })),
  waitForSharing: Type.Optional(Type.Number({ minimum: 0, maximum: PANELS_LIMITS.maxWaitForSharingS })),
  maxDimension: Type.Optional(Type.Integer({ minimum: 0, maximum: 16_384 })),
  format: Type.Optional(Type.Literal("png")),
  inline: Type.Optional(Type.Boolean()),
});
export type ScreenshotRequest = Static<typeof ScreenshotRequest>;
export type ScreenshotScope = "panel" | "workspace" | "screen";
export type ScreenshotMethod = "element-capture" | "html2canvas";
export const Screenshot = Type.Object({
  /** In the project's folder: screenshots/… */
  path: Type.String(),
  url: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  originalWidth: Type.Integer(),
  originalHeight: Type.Integer(),
  scale: Type.Number(),
  scope: Type.String(),
  method: Type.String(),
  mimeType: Type.String(),
  size: Type.Integer(),
  dataUrl: Type.Optional(Type.String()),
});
export type Screenshot = Static<typeof Screenshot>;
export type DisplaySurface = "browser" | "window" | "monitor";
/** What the browser tells of the surface it shares. */
export type Sharing = {
  active: boolean;
  displaySurface: DisplaySurface | null;
  /** All of them, where a browser shares several at a time. */
  surfaces?: DisplaySurface[];
};
export type ScreenshotStatus = { sharing: Sharing; availableScopes: ScreenshotScope[] };

/** POST …/current/ticket → 201; shown once on the socket within 30 s. */
export type Ticket = { ticket: string; socketPath: string };
export const SOCKET_PATH = "/api/workspaces/socket";

/** What a browser is asked to do. Exactly one browser of a workspace is asked, and answers. */
export type Order =
  | { kind: "eval"; tabId: string; code: string; isPrepared: boolean; timeoutMs: number }
  | { kind: "refresh"; tabId: string }
  /** Answered when the frame of this generation is there. */
  | { kind: "reset"; tabId: string; generation: number }
  /** What the panel is in now: a `WebviewReport` or `SandboxStanding` in part. */
  | { kind: "webview"; tabId: string }
  | { kind: "sandbox"; tabId: string }
  | {
      kind: "shot";
      shotId: string;
      scope: ScreenshotScope;
      method: ScreenshotMethod;
      tabId: string | null;
    };

export type OrderFault =
  | "not-rendered"
  | "not-mounted"
  | "not-sharing"
  | "wrong-surface"
  | "shot-failed"
  | "unsupported"
  | "tab-unknown";

/** A program waits for the user to share. */
export type SharingRequest = {
  id: string;
  by: string;
  reason: string | null;
  scope: ScreenshotScope;
  tabId: string | null;
  /** Epoch ms. */
  untilMs: number;
  waitMs: number;
};

export type ServerMessage =
  | {
      type: "welcome";
      browserId: string;
      isPrimary: boolean;
      layout: Layout;
      framesUrl: string;
      sharingRequests: SharingRequest[];
    }
  | { type: "layout"; layout: Layout }
  | { type: "primary"; isPrimary: boolean }
  | { type: "order"; id: string; order: Order }
  | { type: "withdrawn"; id: string }
  | { type: "sharing-asked"; request: SharingRequest }
  | { type: "sharing-over"; id: string }
  | { type: "log"; entries: LogEntry[] }
  | { type: "renewed" }
  | { type: "error"; code: string; detail: string };

export type BrowserMessage =
  | { type: "hello"; ticket: string }
  | { type: "renew"; ticket: string }
  | { type: "answer"; id: string; ok: true; value: JsonData }
  | { type: "answer"; id: string; ok: false; code: OrderFault; detail: string }
  | { type: "mounted"; tabId: string }
  /** What a web view shows now; `url` and `title` are kept in its state, unless that is at another `visit` already. */
  | { type: "report"; tabId: string; url?: string; title?: string; visit?: number }
  | { type: "sharing"; sharing: Sharing }
  | { type: "sharing-declined"; id: string };
