import type {
  DisplaySurface,
  JsonData,
  JsonObject,
  Layout,
  LogEntry,
  LogLevel,
  Order,
  OrderFault,
  ServerMessage,
  Sharing,
  SharingRequest,
  Tab,
  WorkspaceParams,
} from "@backplane/contract/panels";
import type { OpenBus } from "@backplane/kit/bus";
import type { Caller, WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { Metrics } from "@backplane/kit/metrics";
import type { Settings } from "@backplane/kit/settings";
import type { FastifyRequest } from "fastify";
import type { PanelsTables } from "./tables.ts";

/** Whose workspaces somebody may use. Accounts and organisations are another area's: the platform wires them. */
export type Owners = {
  /** The id of the owner of this name, when this person may use it: themselves, or an organisation they are in. */
  resolve(userId: string, ownerName: string): Promise<string | undefined>;
  mayAct(userId: string, ownerId: string): Promise<boolean>;
  /** Undefined: the owner is gone. */
  nameOf(ownerId: string): Promise<string | undefined>;
  /** Everybody this person may act for: themselves, and the organisations they are in. */
  listFor(userId: string): Promise<{ id: string; name: string }[]>;
};

/** What the area is given. */
export type Dependencies = {
  database: Database<PanelsTables>;
  bus: OpenBus;
  settings: Pick<Settings, "baseUrl" | "framesUrl" | "projectsFolder" | "proxyAllow" | "trustProxy" | "host"> &
    Pick<Settings, "gatewayPort" | "watchdogPort" | "viewerPort">;
  now: Clock;
  metrics: Metrics;
  whoIsCalling: WhoIsCalling;
  owners: Owners;
  onFault: (error: unknown) => void;
};

/** A workspace as it is read for one request. */
export type Workspace = { id: string; ownerId: string; owner: string; repo: string; layout: Layout };

/** What an edit made of the root: the next root and what to answer. Throws a Problem to change nothing. */
export type Edited<Answer> = { root: Layout["root"]; answer: Answer };

export type EditOptions = {
  /** Can be taken back by undo. Changes of names, of `panelState` and of the active tab never can. */
  undoable: boolean;
  /** 409 layout-changed unless the layout is still at this revision. */
  revision?: number | undefined;
};

/** Workspaces and their layouts. `workspaces/` */
export type Workspaces = {
  /** 401, 403; made on first use. */
  open(request: FastifyRequest): Promise<{ workspace: Workspace; caller: Caller }>;
  /** The same for a caller that is known already. */
  openFor(caller: Caller, params: WorkspaceParams): Promise<Workspace>;
  read(workspaceId: string): Promise<Layout | undefined>;
  /**
   * Reads, edits and writes until nobody was faster (one conditional statement a try), then tells everybody who looks.
   * An edit that gives back the very same root changes nothing: no revision, nobody told.
   */
  edit<Answer>(
    workspaceId: string,
    edit: (root: Layout["root"]) => Edited<Answer>,
    options: EditOptions,
  ): Promise<{ revision: number; answer: Answer }>;
  /** Merges into a tab's `panelState` (null removes a key), or what follows from it. Undefined: the tab is gone. */
  patchState(
    workspaceId: string,
    tabId: string,
    patch: JsonObject | ((state: JsonObject) => JsonObject),
    drivenBy?: string,
  ): Promise<Tab | undefined>;
  undo(workspaceId: string, revision: number | undefined): Promise<number>;
  /** Calls back after every change anywhere, with the layout as it is now; `onGone` when the workspace is removed. */
  watch(workspaceId: string, listener: (layout: Layout) => void, onGone?: () => void): Promise<() => Promise<void>>;
  /** Those of this person and of their organisations, newest first. */
  list(
    userId: string,
    limit: number,
  ): Promise<{ id: string; owner: string; repo: string; tabs: number; updatedAtMs: number }[]>;
  /** Not the project's files. False: there is none. 403. */
  remove(caller: Caller, params: WorkspaceParams): Promise<boolean>;
};

/** How a browser's answer to an order ended. */
export type Answered =
  | { ok: true; value: JsonData }
  | { ok: false; reason: "no-browser" | "timeout" | "busy" }
  | { ok: false; reason: "refused"; code: OrderFault; detail: string };

export type PresentBrowser = { browserId: string; since: number; sharing: Sharing };

/** The browsers that have workspaces open, wherever they are connected. `live/` */
export type Live = {
  /** Gives the order to one browser: the one that has been there longest, or the one that shares. */
  ask(
    workspaceId: string,
    order: Order,
    options: {
      timeoutMs: number;
      of?: "longest" | "sharing";
      /** Only of one that shares this. */
      surface?: DisplaySurface;
      signal?: AbortSignal;
    },
  ): Promise<Answered>;
  /** To every browser of the workspace, on every instance. */
  tell(workspaceId: string, message: ServerMessage): Promise<void>;
  browsers(workspaceId: string): Promise<PresentBrowser[]>;
  /** Event streams (SSE) of the workspace count as present too. */
  eventStreams(workspaceId: string): Promise<number>;
  /** Counts a stream until the returned function is called. Undefined: there are as many as there may be. */
  countStream(workspaceId: string): Promise<(() => void) | undefined>;
  /** Called on this instance when one of its browsers shares, stops, or declines a request. */
  onSharing(listener: (event: SharingEvent) => void): () => void;
  /** Called on this instance when a browser has mounted a tab: code may wait for it. */
  onMounted(listener: (event: { workspaceId: string; tabId: string; browserId: string }) => void): () => void;
  /** Requests to share that wait now, shown to a browser that opens meanwhile. Set by `screenshots/`. */
  sharingRequests: {
    /** `lingerMs`: how long after its time it may still be shown. */
    add(workspaceId: string, request: SharingRequest, lingerMs?: number): Promise<void>;
    remove(workspaceId: string, id: string): Promise<void>;
  };
};

export type SharingEvent =
  | { workspaceId: string; browserId: string; sharing: Sharing }
  | { workspaceId: string; browserId: string; declined: string };

/** The log that the workspace's people and programs read. `log/` */
export type WorkspaceLog = {
  /** Never fails the caller: a fault goes to onFault. */
  note(workspaceId: string, level: LogLevel, source: string, message: string): void;
  add(
    workspaceId: string,
    entries: readonly { level: LogLevel; source: string; message: string }[],
  ): Promise<LogEntry[]>;
};

/** The files of workspaces, a folder each. `files/` */
export type Files = {
  /** `<projects>/<owner>/<repo>` in lower case; not made by asking. */
  folderOf(workspace: Pick<Workspace, "owner" | "repo">): string;
  /** Undefined: there is none. Follows no link out of the folder; 422 file-name-refused. */
  read(
    workspace: Pick<Workspace, "owner" | "repo">,
    path: string,
  ): Promise<{ bytes: Buffer; modifiedMs: number } | undefined>;
  /** Whole or not at all (a new file, then renamed), with the folders on its way. */
  write(workspace: Pick<Workspace, "owner" | "repo">, path: string, bytes: Uint8Array): Promise<void>;
};

export type Services = Dependencies & { workspaces: Workspaces; live: Live; log: WorkspaceLog; files: Files };
