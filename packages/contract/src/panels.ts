// Workspaces of panels: names, catalog, layout, web view, sandbox, screenshots, files and log, live socket.
// The limits come first because the schemas below use them.
import { type Static, Type } from "typebox";

export const PANELS_LIMITS = {
  // Workspaces and their layout
  maxWorkspacesPerOwner: 1_000,
  maxWorkspacesListed: 200,
  maxTabs: 200,
  maxDepth: 32,
  minRatio: 0.05,
  maxUndo: 50,
  maxNameLength: 120,
  maxTitleLength: 300,
  maxUrlLength: 4_096,
  /** A tab's `panelState`, as JSON text in UTF-8. */
  maxStateBytes: 32_768,
  maxStateDepth: 100,
  /** The whole layout with the state of its tabs, as JSON text in UTF-8. */
  maxLayoutBytes: 1_048_576,
  /** Changes that wait for their turn, per workspace and instance. */
  maxWaitingEdits: 2_000,
  /** A program's event stream ends after this; it connects again and authenticates again. */
  eventStreamLifeMs: 900_000,
  /** How often the server checks that the reader of an event stream still has access. */
  eventStreamCheckMs: 60_000,

  // Browsers
  /** Browsers per workspace; also event streams per workspace. */
  maxBrowsers: 50,
  presenceLifeMs: 25_000,
  presenceBeatMs: 8_000,
  ticketLifeMs: 30_000,
  ticketsPerMinute: 300,
  /** A browser proves within this time, again and again, that its user is still signed in. */
  leaseMs: 150_000,
  /** Orders that browsers have not answered yet, per workspace. */
  maxPendingOrders: 2_000,
  refreshTimeoutMs: 10_000,

  // Sandboxes
  maxCodeBytes: 524_288,
  /** The result of an eval with its logs, as JSON text in UTF-8. */
  maxResultBytes: 524_288,
  maxLogs: 200,
  evalTimeoutMs: 5_000,
  maxEvalTimeoutMs: 60_000,
  /** Evals that wait for a browser, per sandbox. */
  maxQueuedEvals: 100,
  /** How long an eval waits for a browser. */
  queuedEvalLifeMs: 3_600_000,
  /** How long the result of a queued eval is kept. */
  evalResultLifeMs: 600_000,

  // Screenshots
  shotTimeoutMs: 15_000,
  defaultWaitForSharingS: 10,
  maxWaitForSharingS: 300,
  maxReasonLength: 300,
  maxShotBytes: 33_554_432,
  maxShotPixels: 67_108_864,
  defaultMaxDimension: 1_568,
  pngCompressionLevel: 9,
  /** Screenshots per project, and how many of them may have the same name. */
  maxScreenshots: 5_000,
  maxScreenshotsOfOneName: 1_000,

  // Files and log
  maxFileBytes: 16_777_216,
  maxTextFileBytes: 2_097_152,
  maxFilesListed: 5_000,
  /** All files of a project together. */
  maxProjectBytes: 2_147_483_648,
  /** Log lines that a workspace keeps. */
  maxLogEntries: 2_000,
  maxLogEntriesPerCall: 100,
  defaultLogEntriesListed: 200,
  maxLogMessageLength: 2_000,
  maxLogSearchLength: 200,
} as const;

/** The proxy behind web views, and the check whether a site can be framed. */
export const WEBVIEW_LIMITS = {
  /** How long GET waits for the browser before it answers from the stored state. */
  reportTimeoutMs: 2_000,
  maxFaultLength: 300,
  /** A pass in an address: enough for one redirect. */
  enterLifeMs: 60_000,
  /** A pass in a cookie, and every pass derived from it. */
  stayLifeMs: 8 * 3_600_000,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  /** Longest pause within the body of an answer. */
  idleTimeoutMs: 120_000,
  /** The body of a request: longest pause, and longest time in total. */
  sendIdleMs: 30_000,
  sendWithinMs: 600_000,
  maxHeaderBytes: 65_536,
  maxRequestBytes: 67_108_864,
  maxAnswerBytes: 1_073_741_824,
  /** A page that is rewritten, decompressed. */
  maxPageBytes: 16_777_216,
  maxRequestsPerSite: 64,
  maxRequests: 1_000,
  maxConnectionsPerOrigin: 128,
  maxSocketsPerSite: 32,
  maxSockets: 1_000,
  socketIdleMs: 600_000,
  framingTimeoutMs: 4_000,
  maxFramingRedirects: 5,
  maxFramingChecksPerPerson: 8,
  maxFramingChecks: 64,
} as const;
export type WebviewLimits = { readonly [Name in keyof typeof WEBVIEW_LIMITS]: number };

/** 64 of the longest pieces of code. */
const MAX_PENDING_ORDER_BYTES = 64 * PANELS_LIMITS.maxCodeBytes;

/** The socket between the server and the pages that show a workspace. */
export const SOCKET_LIMITS = {
  /** A result with its logs, and the fields around it. */
  maxPayloadBytes: PANELS_LIMITS.maxResultBytes + 65_536,
  /** One order as JSON text in UTF-8: it must also fit into a message of the bus. */
  maxOrderBytes: 1_000_000,
  /** All orders that one browser has not answered yet. */
  maxPendingOrderBytes: MAX_PENDING_ORDER_BYTES,
  /** All pending orders, and a layout while the previous one is still being sent. */
  maxUnsentBytes: MAX_PENDING_ORDER_BYTES + 2 * PANELS_LIMITS.maxLayoutBytes,
  maxPerAddress: 200,
  /** A new connection shows its ticket within this time. */
  helloWithinMs: 10_000,
  /** Nesting of an answer's value: deeper values could not be serialised again. */
  maxAnswerDepth: 1_000,
  /** Messages per browser, not counting answers that are waited for. */
  messageBurst: 2 * PANELS_LIMITS.maxPendingOrders,
  messagesPerSecond: 200,
  maxDetailLength: 300,
} as const;

// ── Names ──

const OWNER_PATTERN = "^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,37}[a-zA-Z0-9])?$";
export const MAX_REPO_LENGTH = 100;
export const REPO_PATTERN = `^[a-zA-Z0-9_](?:[a-zA-Z0-9._-]{0,${MAX_REPO_LENGTH - 2}}[a-zA-Z0-9_-])?$`;
const NODE_ID = Type.String({ pattern: "^[a-zA-Z0-9_-]{1,64}$" });

/** `owner` and `repo` in addresses. */
export const WorkspaceParams = Type.Object({
  owner: Type.String({ pattern: OWNER_PATTERN }),
  repo: Type.String({ pattern: REPO_PATTERN }),
});
export type WorkspaceParams = Static<typeof WorkspaceParams>;

export type JsonObject = { [key: string]: JsonData };
export type JsonData = null | boolean | number | string | JsonData[] | JsonObject;

const JSON_DATA = Type.Unsafe<JsonData>({});
const JSON_OBJECT = Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Any()));
const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

// ── Catalog ──

export const PANEL_CATEGORIES = ["Development", "Control", "Visualization", "Media", "Utility"] as const;
export type PanelCategory = (typeof PANEL_CATEGORIES)[number];

/** One line of GET /api/panels/catalog. */
export const CatalogPanel = Type.Object({
  identifier: Type.String({ description: "<owner>/<panel_uuid>" }),
  kind: Type.String({ description: "A short name that also opens it: webview" }),
  name: Type.String(),
  category: Type.Enum(PANEL_CATEGORIES),
  icon: Type.String(),
  description: Type.String(),
  singleton: Type.Boolean({ description: "At most one per workspace" }),
  built: Type.Boolean({ description: "False: it opens, and says that it is not built yet" }),
  stateSchema: Type.Unsafe<JsonObject>({
    ...Type.Record(Type.String(), Type.Any()),
    description: "JSON Schema of initialState and panelState",
  }),
});
export type CatalogPanel = Static<typeof CatalogPanel>;

// ── State of panels: `initialState` and `panelState`, per kind ──

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
const LOG_LEVEL = Type.Enum(LOG_LEVELS);
export type LogLevel = Static<typeof LOG_LEVEL>;

const SITE_URL = Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxUrlLength });
const FILE_PATH = Type.String({ minLength: 1, maxLength: 500 });
/** Unlike the fields of a body, an unknown key of a state is refused: it would be stored. */
const STATE = { additionalProperties: false };

export const WebviewState = Type.Object(
  {
    url: Type.Optional(SITE_URL),
    headerHidden: Type.Optional(Type.Boolean()),
    proxyEnabled: Type.Optional(Type.Boolean()),
    /** Title of the page that is shown, as the proxy's tracker reported it. */
    title: Type.Optional(Type.String({ maxLength: PANELS_LIMITS.maxTitleLength })),
    /** Goes up with every navigate: the same address again loads it again. */
    visit: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  STATE,
);
export type WebviewState = Static<typeof WebviewState>;
export const SandboxState = Type.Object(
  {
    headerHidden: Type.Optional(Type.Boolean()),
    /** Part of the frame's host name: another generation is another frame. */
    generation: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  STATE,
);
export type SandboxState = Static<typeof SandboxState>;
export const CodeEditorState = Type.Object(
  { path: Type.Optional(FILE_PATH), line: Type.Optional(Type.Integer({ minimum: 1 })) },
  STATE,
);
export const ScriptRunnerState = Type.Object({ path: Type.Optional(FILE_PATH) }, STATE);
export const Viewer3dState = Type.Object({ path: Type.Optional(FILE_PATH) }, STATE);
export const SystemLogState = Type.Object(
  {
    search: Type.Optional(Type.String({ maxLength: PANELS_LIMITS.maxLogSearchLength })),
    level: Type.Optional(LOG_LEVEL),
    source: Type.Optional(Type.String({ maxLength: 40 })),
  },
  STATE,
);

// ── Layout ──

export const Tab = Type.Object({
  id: Type.String(),
  /** `<owner>/<panel_uuid>`, as in the catalog. */
  panelType: Type.String(),
  panelState: JSON_OBJECT,
  /** Chosen when the tab was opened: a stable handle, and the text on the tab. */
  displayName: Type.Optional(Type.String()),
  displayIcon: Type.Optional(Type.String()),
  /** The program that last drove it. */
  drivenBy: Type.Optional(Type.String()),
});
export type Tab = Static<typeof Tab>;
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

/** GET …/current. The root's own keys are repeated beside it: existing programs read either. */
export const CurrentLayout = Type.Object(
  {
    ...{ owner: Type.String(), repo: Type.String(), revision: Type.Integer() },
    ...{ root: Type.Unsafe<LayoutNode>({}), type: Type.String(), id: Type.String() },
  },
  { additionalProperties: true },
);

/** GET …/current/tabs */
export const ListedTab = Type.Object({
  ...Tab.properties,
  ...{ tabId: Type.String(), panelId: Type.String(), active: Type.Boolean(), name: Type.String(), kind: Type.String() },
});
export type ListedTab = Static<typeof ListedTab>;
export const ListedTabs = Type.Object({ revision: Type.Integer(), tabs: Type.Array(ListedTab) });

/** GET /api/workspaces */
export const WorkspaceSummary = Type.Object({
  ...{ owner: Type.String(), repo: Type.String(), tabs: Type.Integer(), updatedAt: Type.String() },
  browserConnected: Type.Boolean(),
});
export type WorkspaceSummary = Static<typeof WorkspaceSummary>;
export const WorkspaceList = Type.Object({ workspaces: Type.Array(WorkspaceSummary), truncated: Type.Boolean() });

const DISPLAY_NAME = Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxNameLength });
const DIRECTION = Type.Union([Type.Literal("horizontal"), Type.Literal("vertical")]);
const POSITION = Type.Union([Type.Literal("before"), Type.Literal("after")]);
const RATIO = Type.Number({ minimum: PANELS_LIMITS.minRatio, maximum: 1 - PANELS_LIMITS.minRatio });
/** The layout must still be at this revision; else 409 layout-changed. */
const REVISION = { revision: Type.Optional(Type.Integer({ minimum: 0 })) };

const NEW_PANEL = {
  panelType: Type.String({
    minLength: 1,
    maxLength: 120,
    description: "As in the catalog, or its short name: webview",
  }),
  displayName: Type.Optional(DISPLAY_NAME),
  displayIcon: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
  initialState: Type.Optional(JSON_OBJECT),
  /** If a tab with this `displayName` and type is open, show it and set its state instead of opening another one. */
  reuse: Type.Optional(Type.Boolean()),
  /** Open it behind the tab that is active now. */
  background: Type.Optional(Type.Boolean()),
};
/** What opens a panel, wherever it goes. */
export const NewPanel = Type.Object(NEW_PANEL);
export type NewPanel = Static<typeof NewPanel>;

export const AddTab = Type.Object({ panelId: Type.Optional(NODE_ID), ...NEW_PANEL, ...REVISION });
export type AddTab = Static<typeof AddTab>;
export const AddSplit = Type.Object({
  panelId: NODE_ID,
  direction: DIRECTION,
  ...NEW_PANEL,
  position: Type.Optional(POSITION),
  ratio: Type.Optional(RATIO),
  ...REVISION,
});
export type AddSplit = Static<typeof AddSplit>;
export const CloseTab = Type.Object({
  panelId: Type.Optional(NODE_ID),
  tabId: Type.Optional(NODE_ID),
  name: Type.Optional(DISPLAY_NAME),
  ...REVISION,
});
export type CloseTab = Static<typeof CloseTab>;
export const ChangeTab = Type.Object({
  panelId: Type.Optional(NODE_ID),
  tabId: NODE_ID,
  active: Type.Optional(Type.Literal(true)),
  displayName: Type.Optional(DISPLAY_NAME),
  /** Merged into the state key by key; null removes a key. */
  panelState: Type.Optional(JSON_OBJECT),
  ...REVISION,
});
export type ChangeTab = Static<typeof ChangeTab>;
export const ResizeSplit = Type.Object({ splitId: NODE_ID, ratio: RATIO, ...REVISION });
export type ResizeSplit = Static<typeof ResizeSplit>;
/** Into another panel at an index; or, with `direction`, into a new panel beside the target. */
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
/** `revision`: only if that is the change to undo. */
export const UndoChange = Type.Object(REVISION);
export type UndoChange = Static<typeof UndoChange>;

/** Every change answers the revision that contains it. */
const CHANGED = { revision: Type.Integer() };
/** `reused`: it was already open. */
const OPENED = { panelId: Type.String(), tabId: Type.String(), reused: Type.Boolean(), ...CHANGED };
export const LayoutChange = Type.Object(CHANGED);
export const AddedTab = Type.Object(OPENED);
export type AddedTab = Static<typeof AddedTab>;
export const AddedSplit = Type.Object({ newPanelId: Type.String(), ...OPENED });
export type AddedSplit = Static<typeof AddedSplit>;
export const ClosedTab = Type.Object({ tabId: Type.String(), ...CHANGED });
/** `panelId`: where the tab is now. */
export const MovedTab = Type.Object({ panelId: Type.String(), ...CHANGED });

// ── Panels that programs drive ──

const PANEL = { panelId: NODE_ID };
/** `panelId` in the address of a report. */
export const PanelQuery = Type.Object({ panelId: Type.String({ minLength: 1, maxLength: 64 }) });
const SET_HEADER_HIDDEN = Type.Object({
  ...PANEL,
  action: Type.Literal("setHeaderHidden"),
  hidden: Type.Boolean(),
});

// ── Web view ──

/** PATCH /api/panels/webview/{owner}/{repo} */
export const WebviewAction = Type.Union([
  Type.Object({ ...PANEL, action: Type.Literal("navigate"), url: SITE_URL }),
  Type.Object({ ...PANEL, action: Type.Literal("refresh") }),
  SET_HEADER_HIDDEN,
  Type.Object({ ...PANEL, action: Type.Literal("setProxyEnabled"), enabled: Type.Boolean() }),
]);
export type WebviewAction = Static<typeof WebviewAction>;

/** What a browser answers to the order "webview". */
export const ShownPage = Type.Object({
  url: nullable(Type.String({ maxLength: PANELS_LIMITS.maxUrlLength })),
  title: nullable(Type.String()),
  scroll: nullable(Type.Object({ x: Type.Number(), y: Type.Number(), height: Type.Number() })),
  loading: Type.Boolean(),
  fault: nullable(Type.String({ description: "Why the page is blank, if it is" })),
});
export type ShownPage = Static<typeof ShownPage>;
/** GET /api/panels/webview/{owner}/{repo}?panelId= */
export const WebviewReport = Type.Object({
  panelId: Type.String(),
  tabId: Type.String(),
  ...ShownPage.properties,
  headerHidden: Type.Boolean(),
  proxyEnabled: Type.Boolean(),
  live: Type.Boolean({ description: "Whether a browser shows it now" }),
});
export type WebviewReport = Static<typeof WebviewReport>;

/** POST /api/panels/webview/{owner}/{repo}/pass and …/framing */
export const WebviewSite = Type.Object({ url: SITE_URL });
export const WebviewPass = Type.Object({
  src: Type.String({ description: "The address of the frame, valid for one minute" }),
  label: Type.String(),
  origin: Type.String({ description: "The origin of the frame" }),
});
/** Whether a frame of ours can show a site, and why not. */
export const WebviewFraming = Type.Object({
  framing: Type.Enum(["allowed", "refused", "unknown"]),
  reason: nullable(
    Type.Enum([
      ...(["x-frame-options", "frame-ancestors", "mixed-content", "port", "download"] as const),
      ...(["unreachable", "name-not-found", "timeout", "certificate", "private-address"] as const),
    ]),
  ),
});
export type WebviewFraming = Static<typeof WebviewFraming>;

// ── Sandbox ──

/** PATCH /api/panels/sandbox/{owner}/{repo} */
export const SandboxAction = Type.Union([
  Type.Object({
    ...PANEL,
    action: Type.Literal("eval"),
    code: Type.String({ maxLength: PANELS_LIMITS.maxCodeBytes }),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 50, maximum: PANELS_LIMITS.maxEvalTimeoutMs })),
  }),
  Type.Object({ ...PANEL, action: Type.Literal("reset") }),
  SET_HEADER_HIDDEN,
]);
export type SandboxAction = Static<typeof SandboxAction>;

/** One line that the code printed. */
export const EvalLog = Type.Object({
  level: Type.Enum(["log", "info", "warn", "error", "debug"]),
  text: Type.String(),
});
export type EvalLog = Static<typeof EvalLog>;
const EVAL_OUTPUT = { logs: Type.Optional(Type.Array(EvalLog)), durationMs: Type.Optional(Type.Number()) };
const EXECUTED = { status: Type.Literal("executed"), result: Type.Optional(JSON_DATA), ...EVAL_OUTPUT };
const FAILED = { status: Type.Literal("error"), error: Type.String(), ...EVAL_OUTPUT };
const QUEUED = { status: Type.Literal("queued"), id: Type.String() };
/** What an eval that ran ended with. */
export const RunResult = Type.Union([Type.Object(EXECUTED), Type.Object(FAILED)]);
export type RunResult = Static<typeof RunResult>;
export const EvalResult = Type.Union([...RunResult.anyOf, Type.Object(QUEUED)]);
export type EvalResult = Static<typeof EvalResult>;
/** GET …/evals/{id} */
export const EvalReport = Type.Union([
  Type.Object({ id: Type.String(), ...EXECUTED }),
  Type.Object({ id: Type.String(), ...FAILED }),
  Type.Object(QUEUED),
]);
export type EvalReport = Static<typeof EvalReport>;

/** stuck: code of an earlier call does not end; gone: the code has left its document. A reset helps with both. */
export const SandboxCondition = Type.Enum(["loading", "ready", "stuck", "gone"]);
export type SandboxCondition = Static<typeof SandboxCondition>;
/** GET /api/panels/sandbox/{owner}/{repo}?panelId= */
export const SandboxReport = Type.Object({
  panelId: Type.String(),
  tabId: Type.String(),
  headerHidden: Type.Boolean(),
  generation: Type.Integer(),
  live: Type.Boolean({ description: "Whether a browser shows it now, and so runs code at once" }),
  standing: nullable(SandboxCondition),
  queued: Type.Integer(),
});
export type SandboxReport = Static<typeof SandboxReport>;

/** Limits that the frame of a sandbox keeps, and the page relies on. */
export type FrameBounds = {
  maxLogs: number;
  /** Output that does not belong to a call. */
  maxLogsPerSecond: number;
  maxLogLength: number;
  maxResultBytes: number;
  maxErrorLength: number;
  /** Code that has not ended after this time is reported as waiting for a promise. */
  waitingAfterMs: number;
};

/** From the page to the code's frame, over their port. */
export type PageToFrame =
  | { type: "eval"; id: number; code: string; isPrepared: boolean }
  | { type: "ping"; id: number }
  /** `background`: the colour where the page draws nothing. */
  | { type: "rasterise"; id: number; background: string };

export type FrameToPage =
  | { type: "ready" }
  | { type: "pong"; id: number }
  /** The code has run; the promise that it returned is still pending. */
  | { type: "waiting"; id: number }
  /** `id`: the call it belongs to, if there is one. */
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

/** Between the page and the outer document, which hands on the port and otherwise only watches. */
export type OuterToPage = { type: "sandbox-loaded" } | { type: "sandbox-gone" };
export type PageToOuter = { type: "sandbox-port" };

// ── Screenshots ──

const SCREENSHOT_SCOPE = Type.Union([Type.Literal("panel"), Type.Literal("workspace"), Type.Literal("screen")]);
const SCREENSHOT_METHOD = Type.Union([Type.Literal("element-capture"), Type.Literal("html2canvas")]);
export type ScreenshotScope = Static<typeof SCREENSHOT_SCOPE>;
export type ScreenshotMethod = Static<typeof SCREENSHOT_METHOD>;

/** PATCH …/current/screenshot */
export const ScreenshotRequest = Type.Object({
  scope: Type.Optional(SCREENSHOT_SCOPE),
  panelId: Type.Optional(NODE_ID),
  tabId: Type.Optional(NODE_ID),
  /** Name of the file, without its size and ending. */
  name: Type.Optional(Type.String({ pattern: "^[a-zA-Z0-9][a-zA-Z0-9 ._-]{0,79}$" })),
  method: Type.Optional(SCREENSHOT_METHOD),
  reason: Type.Optional(Type.String({ maxLength: PANELS_LIMITS.maxReasonLength })),
  waitForSharing: Type.Optional(Type.Number({ minimum: 0, maximum: PANELS_LIMITS.maxWaitForSharingS })),
  maxDimension: Type.Optional(Type.Integer({ minimum: 0, maximum: 16_384 })),
  format: Type.Optional(Type.Literal("png")),
  inline: Type.Optional(Type.Boolean()),
});
export type ScreenshotRequest = Static<typeof ScreenshotRequest>;
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

export const DISPLAY_SURFACES = ["browser", "window", "monitor"] as const;
export type DisplaySurface = (typeof DISPLAY_SURFACES)[number];
const DISPLAY_SURFACE = Type.Enum(DISPLAY_SURFACES);
/** What a browser shares of its screen. */
export const Sharing = Type.Object({
  active: Type.Boolean(),
  displaySurface: nullable(DISPLAY_SURFACE),
  /** All of them, when a browser shares several at once. */
  surfaces: Type.Optional(Type.Array(DISPLAY_SURFACE)),
});
export type Sharing = Static<typeof Sharing>;
/** GET …/current/screenshot */
export const ScreenshotStatus = Type.Object({ sharing: Sharing, availableScopes: Type.Array(SCREENSHOT_SCOPE) });
export type ScreenshotStatus = Static<typeof ScreenshotStatus>;

// ── Files and log ──

/** GET …/current/files */
export const ProjectFile = Type.Object({ path: Type.String(), size: Type.Integer(), modifiedAt: Type.String() });
export type ProjectFile = Static<typeof ProjectFile>;
export const FileList = Type.Object({ files: Type.Array(ProjectFile), truncated: Type.Boolean() });
export type FileList = Static<typeof FileList>;

const LOG_SOURCE = Type.String({ pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]{0,39}$" });

/** POST …/current/log: one entry, or several as `entries`. */
export const NewLogEntry = Type.Object({
  level: Type.Optional(LOG_LEVEL),
  source: Type.Optional(LOG_SOURCE),
  message: Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxLogMessageLength }),
});
export type NewLogEntry = Static<typeof NewLogEntry>;
export const NewLogEntries = Type.Object({
  ...Type.Partial(NewLogEntry).properties,
  entries: Type.Optional(Type.Array(NewLogEntry, { minItems: 1, maxItems: PANELS_LIMITS.maxLogEntriesPerCall })),
});
export type NewLogEntries = Static<typeof NewLogEntries>;
/** GET …/current/log */
export const LogQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({
      ...{ minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      description: "Only lines after the one with this id",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PANELS_LIMITS.maxLogEntries })),
  level: Type.Optional(LOG_LEVEL),
  source: Type.Optional(LOG_SOURCE),
  q: Type.Optional(
    Type.String({ maxLength: PANELS_LIMITS.maxLogSearchLength, description: "Part of the message, in any case" }),
  ),
});
export type LogQuery = Static<typeof LogQuery>;
export const LogEntry = Type.Object({
  ...{ id: Type.Integer(), at: Type.String(), level: LOG_LEVEL, source: Type.String(), message: Type.String() },
});
export type LogEntry = Static<typeof LogEntry>;
export const LogEntries = Type.Object({ entries: Type.Array(LogEntry) });

// ── Live socket ──

/** GET …/current/probe */
export const Probe = Type.Object({
  browser_connected: Type.Boolean(),
  sse_connections: Type.Integer(),
  sharing: Type.Boolean(),
});
export type Probe = Static<typeof Probe>;

/** POST …/current/ticket → 201; shown once on the socket within 30 s. */
export const Ticket = Type.Object({ ticket: Type.String(), socketPath: Type.String() });
export type Ticket = Static<typeof Ticket>;
export const SOCKET_PATH = "/api/workspaces/socket";

/** What a browser is asked to do. Exactly one browser of a workspace is asked, and answers. */
export type Order =
  | { kind: "eval"; tabId: string; code: string; isPrepared: boolean; timeoutMs: number }
  | { kind: "refresh"; tabId: string }
  /** Answered when the frame of this generation has loaded. */
  | { kind: "reset"; tabId: string; generation: number }
  /** Answered with a `ShownPage`. */
  | { kind: "webview"; tabId: string }
  /** Answered with a `SandboxCondition`. */
  | { kind: "sandbox"; tabId: string }
  | {
      kind: "shot";
      shotId: string;
      scope: ScreenshotScope;
      method: ScreenshotMethod;
      tabId: string | null;
    };

/** Why a browser did not do what it was asked. */
export const ORDER_FAULTS = [
  "not-rendered",
  "not-mounted",
  "not-sharing",
  "wrong-surface",
  "shot-failed",
  "unsupported",
  "tab-unknown",
] as const;
export type OrderFault = (typeof ORDER_FAULTS)[number];

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
  /** What a web view shows now. `url` and `title` are stored in its state unless that has moved on to another `visit`. */
  | { type: "report"; tabId: string; url?: string; title?: string; visit?: number }
  | { type: "sharing"; sharing: Sharing }
  | { type: "sharing-declined"; id: string };
