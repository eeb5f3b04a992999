import {
  type AddedSplit,
  type AddedTab,
  type AddSplit,
  type AddTab,
  type CatalogPanel,
  type DraftPanel,
  type EditedSchematic,
  type EditSchematic,
  type EvalReport,
  type EvalResult,
  type FileList,
  type JsonObject,
  type Layout,
  type Lesson,
  type Lessons,
  type ListedTab,
  type LogEntry,
  type LogQuery,
  type MoveTab,
  type NewLogEntry,
  PANELS_LIMITS,
  type PanelPackages,
  type Probe,
  type ProjectFile,
  type ResizeSplit,
  type SchematicPicture,
  type SchematicView,
  type Screenshot,
  type ScreenshotRequest,
  type ScreenshotStatus,
  type WebviewReport,
  type WorkspaceSummary,
} from "@backplane/contract/panels";
import { callBackplane, callForAnswer, type SessionOptions } from "./call.ts";
import { deviceCalls } from "./devices.ts";
import { invalidOption, PanelsError } from "./errors.ts";
import { type ApiRequest, unexpectedAnswer } from "./request.ts";
import { isObject, queryOf } from "./text.ts";

export type PanelsOptions = SessionOptions;

export type WorkspaceOptions = PanelsOptions & {
  /** Yourself, or an organisation that you belong to. */
  owner: string;
  repo: string;
};

/** The same type, but callers may also write `undefined` for what is optional. */
type Given<Type> = { [Key in keyof Type]: object extends Pick<Type, Key> ? Type[Key] | undefined : Type[Key] };
type OneTab = { tabId: string; panelId?: string | undefined };

/** The calls that drive one workspace. The first call creates the workspace if it does not exist. */
export type Workspace = ReturnType<typeof openWorkspace>;

export function openWorkspace(options: WorkspaceOptions) {
  const call = openCalls(options);
  const name = [options.owner, options.repo].map(pathPart).join("/");
  const current = `/api/workspaces/editor/${name}/current`;
  const webview = `/api/panels/webview/${name}`;
  const sandbox = `/api/panels/sandbox/${name}`;

  return {
    /** The page that shows it. */
    page: `${options.baseUrl.replace(/(?<!\/)\/+$/, "")}/w/${name}`,
    ...layoutCalls(call, current),
    ...webviewCalls(call, webview),
    ...sandboxCalls(call, sandbox),
    ...recordCalls(call, current),
    ...fileCalls(options, call, `${current}/files`),
    ...packageCalls(options, call, `${current}/packages`),
    ...lessonCalls(call, `${current}/lessons`),
    ...schematicCalls(call, current),
    devices: deviceCalls(call, withFields, current, options),
    ...ownerCalls(call, `/api/workspaces/editor/${name}`),
    /** Any call of the HTTP API, by its path: for what the other methods do not offer. */
    call,
    setHeaderHidden: async (kind: "webview" | "sandbox", panelId: string, hidden: boolean) =>
      void (await call("PATCH", kind === "webview" ? webview : sandbox, {
        panelId,
        action: "setHeaderHidden",
        hidden,
      })),
  };
}

const layoutCalls = (call: PanelsCall, current: string) => ({
  layout: async () => withFields<Layout>(await call("GET", current), "revision", "root"),
  tabs: async () => withFields<{ tabs: ListedTab[] }>(await call("GET", `${current}/tabs`), "tabs").tabs,
  /** Whether a browser shows the workspace and shares its screen. Cheap: ask this first. */
  probe: async () => withFields<Probe>(await call("GET", `${current}/probe`), "browser_connected"),
  /** Opens a panel as a tab, in the named panel or else in the first one. */
  openTab: async (panel: Given<AddTab>) =>
    withFields<AddedTab>(await call("POST", `${current}/tabs`, panel), "tabId", "panelId"),
  /** Opens a panel beside another one. */
  split: async (panel: Given<AddSplit>) =>
    withFields<AddedSplit>(await call("POST", `${current}/splits`, panel), "newPanelId", "tabId"),
  closeTab: async (which: OneTab | { name: string }) => void (await call("DELETE", `${current}/tabs`, which)),
  showTab: async (which: OneTab) => void (await call("PATCH", `${current}/tabs`, { ...which, active: true })),
  setState: async (which: { tabId: string; panelState: JsonObject }) =>
    void (await call("PATCH", `${current}/tabs`, which)),
  moveTab: async (move: Given<MoveTab>) => void (await call("POST", `${current}/moves`, move)),
  resizeSplit: async (resize: Given<ResizeSplit>) => void (await call("PATCH", `${current}/splits`, resize)),
  /** Undoes the last change of the layout. */
  undo: async () => void (await call("POST", `${current}/undo`, {})),
});

const webviewCalls = (call: PanelsCall, path: string) => ({
  navigate: async (panelId: string, url: string) =>
    void (await call("PATCH", path, { panelId, action: "navigate", url })),
  refresh: async (panelId: string) => void (await call("PATCH", path, { panelId, action: "refresh" })),
  setProxyEnabled: async (panelId: string, enabled: boolean) =>
    void (await call("PATCH", path, { panelId, action: "setProxyEnabled", enabled })),
  /** What the web view shows now. */
  webview: async (panelId: string) =>
    withFields<WebviewReport>(await call("GET", `${path}${queryOf({ panelId })}`), "tabId", "url"),
});

const sandboxCalls = (call: PanelsCall, path: string) => ({
  /** Runs JavaScript in a sandbox, like a console. An error in the code is `status: "error"`, not an exception. */
  eval: async (panelId: string, code: string, { timeoutMs }: { timeoutMs?: number | undefined } = {}) =>
    withFields<EvalResult>(
      await call("PATCH", path, { panelId, action: "eval", code, timeoutMs }, timeoutMs ?? PANELS_LIMITS.evalTimeoutMs),
      "status",
    ),
  /** The result of code that was queued. */
  evalResult: async (id: string) =>
    withFields<EvalReport>(await call("GET", `${path}/evals/${encodeURIComponent(id)}`), "status"),
  /** A new, empty sandbox. Always works, also after an endless loop. */
  reset: async (panelId: string) => void (await call("PATCH", path, { panelId, action: "reset" })),
});

const recordCalls = (call: PanelsCall, current: string) => ({
  screenshot: async (shot: Given<ScreenshotRequest> = {}) => {
    const { defaultWaitForSharingS, shotTimeoutMs } = PANELS_LIMITS;
    const waitMs = (shot.waitForSharing ?? defaultWaitForSharingS) * 1_000 + shotTimeoutMs;
    return withFields<Screenshot>(await call("PATCH", `${current}/screenshot`, shot, waitMs), "path", "width");
  },
  screenshotStatus: async () =>
    withFields<ScreenshotStatus>(await call("GET", `${current}/screenshot`), "sharing", "availableScopes"),
  /** Writes to the log of the workspace. */
  log: async (...entries: NewLogEntry[]) => void (await call("POST", `${current}/log`, { entries })),
  /** The newest lines, oldest first; with `level`, only lines of that level and above. */
  readLog: async (which: Given<LogQuery> = {}) =>
    withFields<{ entries: LogEntry[] }>(await call("GET", `${current}/log${queryOf(which)}`), "entries").entries,
});

/** Panels from packages. People allow what a new one wants, in the workspace. */
const packageCalls = (options: PanelsOptions, call: PanelsCall, path: string) => ({
  packages: async () => withFields<PanelPackages>(await call("GET", path), "panels", "drafts"),
  /** Sends a panel that is not published, to try it for a day. `archive`: a zip, as for publishing. */
  sendDraft: async (identifier: string, archive: Blob) =>
    withFields<DraftPanel>(
      await callBackplane(PanelsError, options, {
        ...{ method: "PUT", path: `${path}/${pathPart(identifier)}/draft` },
        ...{ answerMs: FILE_MS, maxAnswerBytes: MAX_ANSWER_BYTES },
        ...{ headers: { "content-type": "application/zip" }, body: archive },
      }),
      "sha256",
    ),
  stopDraft: async (identifier: string) => void (await call("DELETE", `${path}/${pathPart(identifier)}/draft`)),
});

const lessonCalls = (call: PanelsCall, path: string) => ({
  /** The lessons of the project, and how far you are in each. */
  lessons: async () => withFields<Lessons>(await call("GET", path), "lessons"),
  /** One lesson with its steps, and what you have done of it. */
  lesson: async (file: string) => withFields<Lesson>(await call("GET", `${path}/${filePart(file)}`), "title", "steps"),
});

/** KiCad schematics of the project. */
const schematicCalls = (call: PanelsCall, current: string) => ({
  /** Symbols, nets and findings of a design, by its root sheet. */
  readSchematic: async (file: string) =>
    withFields<SchematicView>(await call("GET", `${current}/schematics/${filePart(file)}`), "etag", "symbols", "nets"),
  /** All edits or none. `refused` with the problem file-changed if somebody else has saved it since it was read. */
  editSchematic: async (file: string, edit: Given<EditSchematic>) =>
    withFields<EditedSchematic>(await call("POST", `${current}/schematics/${filePart(file)}`, edit), "etag", "added"),
  /** A sheet as a picture, in `dataUrl`. */
  schematicPicture: async (file: string, how: { format?: "png" | "svg"; sheet?: string; pixels?: number } = {}) => {
    const query = queryOf({ inline: "true", ...how });
    return withFields<SchematicPicture>(
      await call("GET", `${current}/schematic-pictures/${filePart(file)}${query}`),
      "dataUrl",
    );
  },
});

const fileCalls = (options: PanelsOptions, call: PanelsCall, path: string) => {
  const limits = { answerMs: FILE_MS, maxAnswerBytes: MAX_ANSWER_BYTES };
  const put = (file: string, body: Blob, condition: Record<string, string>) =>
    callBackplane(PanelsError, options, {
      ...{ method: "PUT", path: `${path}/${filePart(file)}`, ...limits },
      ...{ headers: { "content-type": "application/octet-stream", ...condition }, body },
    });
  return {
    /** All files of the project. */
    files: async () => withFields<FileList>(await call("GET", path), "files"),
    readFile: async (file: string): Promise<Uint8Array> => {
      const question = { method: "GET", path: `${path}/${filePart(file)}`, ...limits } as const;
      const { bytes } = await callForAnswer(PanelsError, options, question);
      if (!bytes) throw unexpectedAnswer(PanelsError, "The file is too large");
      return bytes;
    },
    /** Creates a file. `refused` with the problem file-exists if there is one, unless it is to be replaced. */
    writeFile: async (file: string, content: Blob | Uint8Array<ArrayBuffer> | string, { replace = false } = {}) => {
      const body = content instanceof Blob ? content : new Blob([content]);
      const made = put(file, body, { "if-none-match": "*" }).catch((error: unknown) => {
        const exists = error instanceof PanelsError && error.problemCode === "file-exists";
        if (!exists || !replace) throw error;
        return put(file, body, { "if-match": "*" });
      });
      return withFields<ProjectFile>(await made, "path", "size");
    },
  };
};

/** For its owner; in an organisation, for those who own that. */
const ownerCalls = (call: PanelsCall, path: string) => ({
  /** Its panels and files come along. Later calls need `openWorkspace` with the new name. */
  rename: async (repo: string) =>
    withFields<{ owner: string; repo: string }>(await call("PATCH", path, { repo }), "owner", "repo"),
  /** Cannot be undone. With `files`, the files of its project are deleted, too. */
  remove: async ({ files = false }: { files?: boolean } = {}) =>
    void (await call("DELETE", files ? `${path}?files=true` : path)),
});

/** Every panel in the catalog. */
export async function listPanels(options: PanelsOptions): Promise<CatalogPanel[]> {
  const answer = await openCalls(options)("GET", "/api/panels/catalog");
  return withFields<{ panels: CatalogPanel[] }>(answer, "panels").panels;
}

/** Your workspaces, those of your organisations, and those that others share with you. */
export async function listWorkspaces(options: PanelsOptions): Promise<WorkspaceSummary[]> {
  const answer = await openCalls(options)("GET", "/api/workspaces");
  return withFields<{ workspaces: WorkspaceSummary[] }>(answer, "workspaces").workspaces;
}

/** The longest wait for an answer, in addition to the time that the call itself may take. */
const ANSWER_MS = 15_000;
/** To send or get 16 MB over a slow line. */
const FILE_MS = 120_000;
/** A screenshot of a large screen, in base64. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

type PanelsCall = (method: ApiRequest["method"], path: string, body?: object, waitMs?: number) => Promise<unknown>;

const openCalls =
  (options: PanelsOptions): PanelsCall =>
  (method, path, body, waitMs = 0) =>
    callBackplane(PanelsError, options, {
      method,
      path,
      answerMs: ANSWER_MS + waitMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });

/** The answer, if it has these fields. */
function withFields<Answer>(answer: unknown, ...fields: readonly (keyof Answer & string)[]): Answer {
  if (isObject(answer) && fields.every((field) => field in answer)) return answer as Answer;
  throw unexpectedAnswer(PanelsError, `The answer has no ${fields.join(", ")}`);
}

/** Parts such as `..` would make it the address of something else. */
function filePart(path: string): string {
  const parts = path.split("/");
  if (!parts.some((part) => ["", ".", ".."].includes(part))) return parts.map(encodeURIComponent).join("/");
  throw invalidOption(PanelsError, "file", `cannot be ${JSON.stringify(path.slice(0, 100))}`);
}

function pathPart(text: string): string {
  if (/^[\w.-]{1,100}$/.test(text)) return encodeURIComponent(text);
  const shown = JSON.stringify(text.slice(0, 100));
  throw invalidOption(PanelsError, "repo", `cannot be ${shown}: use letters, digits, - _ and dots`);
}
