import type { Readable } from "node:stream";
import type {
  CreateWorkspace,
  DisplaySurface,
  JsonData,
  JsonObject,
  Layout,
  LogEntry,
  LogLevel,
  OfferedPanel,
  Order,
  OrderFault,
  OutlinePanel,
  PanelManifest,
  ServerMessage,
  SharedPeople,
  Sharing,
  SharingRequest,
  Tab,
  WorkspaceParams,
} from "@backplane/contract/panels";
import type { OpenBus } from "@backplane/kit/bus";
import type { Caller, FollowAccess, Owners, WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { WorkspaceTools } from "@backplane/kit/mcp";
import type { Metrics } from "@backplane/kit/metrics";
import type { Settings } from "@backplane/kit/settings";
import type { FastifyRequest } from "fastify";
import type { Catalog } from "./catalog/catalog.ts";
import type { Measured } from "./lessons/decide.ts";
import type { PanelsTables } from "./tables.ts";

/** What the platform passes to the area. */
export type Dependencies = {
  database: Database<PanelsTables>;
  bus: OpenBus;
  settings: Pick<Settings, "baseUrl" | "framesUrl" | "projectsFolder" | "proxyAllow" | "trustProxy" | "host"> &
    Pick<Settings, "gatewayPort" | "watchdogPort" | "viewerPort" | "quotas" | "panelAliases" | "panelOrigins">;
  now: Clock;
  metrics: Metrics;
  whoIsCalling: WhoIsCalling;
  /** For what goes on after its request: sockets, event streams, passes of the proxy. */
  followAccess: FollowAccess;
  /** Accounts and organisations belong to another area: the platform wires them. */
  owners: Owners;
  /** Packages with a panel belong to the registry. */
  panelPackages: PanelPackages;
  /** So do those with symbol libraries. */
  libraryPackages: LibraryPackages;
  /** Somebody created a workspace. */
  onCreated?: OnCreated;
  /** Tools of other areas for the MCP server of each workspace. Called with the first message. */
  otherTools?: () => Promise<readonly WorkspaceTools[]>;
  /** What devices sent, for the checks of lessons. */
  measured?: Measured;
  onFault: (error: unknown) => void;
};

/** What the manifest of a package says, if the workspace has it. */
export type ReadPackageRules = (
  key: { workspaceId: string; identifier: string },
  isDraft: boolean,
) => Promise<Pick<PanelManifest, "title" | "singleton" | "stateSchema"> | undefined>;

/** The files of a panel by their path. */
export type PanelFiles = ReadonlyMap<string, Buffer>;

/** What the registry knows of packages that have symbol libraries. */
export type LibraryPackages = {
  /** The text of one of its `.kicad_sym` files, by its name without the ending. Throws a Problem if there is none. */
  symbols(userId: string, identifier: string, library: string): Promise<string>;
};

/** What the registry knows of packages that have a panel. */
export type PanelPackages = {
  /** One version of each that this person may see. */
  list(userId: string): Promise<OfferedPanel[]>;
  /** All versions of one, latest first; none if this person may not see it. */
  versions(userId: string, identifier: string): Promise<OfferedPanel[]>;
  /** Throws a Problem if it is gone, or not what was published. */
  files(identifier: string, sha256: string): Promise<PanelFiles>;
  /** An archive that is not published. */
  unpack(archive: Buffer): Promise<UnpackedDraft | { faults: readonly PanelFault[] }>;
};
type UnpackedDraft = {
  identifier: string;
  version: string;
  sha256: string;
  panel: PanelManifest;
  files: PanelFiles;
};
type PanelFault = { path?: string | undefined; pointer?: string | undefined; message: string };

export type OnCreated = (workspace: { userId: string; owner: string; repo: string }) => void;

/** A workspace as it is read for one request. */
export type Workspace = {
  id: string;
  ownerId: string;
  owner: string;
  repo: string;
  folder: string;
  layout: Layout;
  /** The caller uses it because its owner shares it with them. */
  isShared: boolean;
};

/** The result of an edit: the next root and what to answer. An edit that throws a Problem changes nothing. */
export type Edited<Answer> = { root: Layout["root"]; answer: Answer };

export type EditOptions = {
  /** Can be undone. Changes of names, of `panelState` and of the active tab never can. */
  undoable: boolean;
  /** 409 layout-changed unless the layout is still at this revision. */
  revision?: number | undefined;
};

/** `mayManage`: this person may rename, share and remove it. */
type FoundWorkspace = {
  id: string;
  owner: string;
  repo: string;
  tabs: number;
  outline: OutlinePanel[];
  updatedAtMs: number;
  mayManage: boolean;
  isShared: boolean;
  /** The name it was created with, if it was renamed. */
  firstRepo?: string;
};

type OpenOptions = { create?: boolean | undefined };

/** Workspaces and their layouts. `workspaces/` */
export type Workspaces = {
  /** 401, 403; created on first use, unless `create` is false or the key only reads: 404. */
  open(request: FastifyRequest, options?: OpenOptions): Promise<{ workspace: Workspace; caller: Caller }>;
  /** The same for a caller that is known already. */
  openFor(caller: Caller, params: WorkspaceParams, options?: OpenOptions): Promise<Workspace>;
  /** 403, 404; 409 name-taken: what exists is never opened in its place. */
  create(caller: Caller, wanted: CreateWorkspace): Promise<WorkspaceParams>;
  read(workspaceId: string): Promise<Layout | undefined>;
  /**
   * Reads, edits and writes (one conditional statement per try) until no other writer was faster, then notifies all
   * watchers. An edit that returns the same root changes nothing: there is no new revision and no notification.
   */
  edit<Answer>(
    workspaceId: string,
    edit: (root: Layout["root"]) => Edited<Answer>,
    options: EditOptions,
  ): Promise<{ revision: number; answer: Answer }>;
  /** Merges a patch, or the result of a function of the state, into `panelState`; null removes a key. Undefined: the tab is gone. */
  patchState(
    workspaceId: string,
    tabId: string,
    patch: JsonObject | ((state: JsonObject) => JsonObject),
    drivenBy?: string,
  ): Promise<Tab | undefined>;
  undo(
    workspaceId: string,
    revision: number | undefined,
    isOnce?: (tab: Tab) => Promise<boolean>,
  ): Promise<{ revision: number; seconds: Tab[] }>;
  /** Calls back after every change on any instance, with the current layout; `onGone` when the workspace is removed. */
  watch(workspaceId: string, listener: (layout: Layout) => void, onGone?: () => void): Promise<() => Promise<void>>;
  /** With whom a workspace is shared. Each returns the id of the workspace; 403, 404. */
  people: {
    list(caller: Caller, params: WorkspaceParams): Promise<SharedPeople["people"]>;
    /** Counts for nothing until the person accepts. */
    invite(caller: Caller, params: WorkspaceParams, name: string): Promise<string>;
    accept(caller: Caller, params: WorkspaceParams): Promise<string>;
    /** The owner takes it back; or the person leaves, or declines. */
    remove(caller: Caller, params: WorkspaceParams, name: string): Promise<string>;
  };
  /** What others want to share with this person, newest first. */
  invitations(userId: string): Promise<WorkspaceParams[]>;
  /** Workspaces of this person and their organisations, and those that are shared with them, newest first. */
  list(userId: string, limit: number): Promise<FoundWorkspace[]>;
  /** By `owner--name`, or the one used last; undefined unless this person may use it. Creates nothing. */
  bySlug(userId: string, slug: string): Promise<WorkspaceParams | undefined>;
  /** Keeps the project's files. Undefined: there is no such workspace. 403 unless the caller decides for the owner. */
  remove(caller: Caller, params: WorkspaceParams): Promise<Project | undefined>;
  /** 404; 409 name-taken; 403 unless the caller decides for the owner. */
  rename(caller: Caller, params: WorkspaceParams, repo: string): Promise<Pick<Workspace, "id" | "owner" | "repo">>;
  count(ownerId: string): Promise<number>;
  /** All workspaces of owners that were removed. */
  removeOf(ownerIds: readonly string[]): Promise<void>;
};

/**
 * How an order ended. After "unknown" a browser may have carried it out, or may still do so; after all the others but `ok`
 * none has, and none will.
 */
export type Answered =
  | { ok: true; value: JsonData }
  | { ok: false; reason: "no-browser" | "unreached" | "unknown" | "busy" }
  | { ok: false; reason: "refused"; code: OrderFault; detail: string };

export type PresentBrowser = { browserId: string; since: number; sharing: Sharing };

/** The browsers that have workspaces open, wherever they are connected. `live/` */
export type Live = {
  /** Gives the order to one browser: the one that has been there longest of those that qualify. */
  ask(
    workspaceId: string,
    order: Order,
    options: {
      timeoutMs: number;
      /** Only a browser that shares this. */
      sharing?: DisplaySurface;
      signal?: AbortSignal;
    },
  ): Promise<Answered>;
  /** To every browser of the workspace, on every instance. */
  tell(workspaceId: string, message: ServerMessage): Promise<void>;
  browsers(workspaceId: string): Promise<PresentBrowser[]>;
  /** Event streams (SSE) of the workspace count as present too. */
  eventStreams(workspaceId: string): Promise<number>;
  /** Counts a stream until the returned function is called. Undefined: limit reached. */
  countStream(workspaceId: string): Promise<(() => void) | undefined>;
  /** Called on this instance when one of its browsers shares, stops, or declines a request. */
  onSharing(listener: (event: SharingEvent) => void): () => void;
  /** Called on this instance when a browser has mounted a tab: code may wait for it. */
  onMounted(listener: (event: { workspaceId: string; tabId: string; browserId: string }) => void): () => void;
  /** Pending requests to share, also shown to browsers that open meanwhile. Set by `screenshots/`. */
  sharingRequests: {
    /** `lingerMs`: how long after its end it may still be shown. */
    add(workspaceId: string, request: SharingRequest, lingerMs?: number): Promise<void>;
    /** `stopped-waiting`: nobody answered it; the pages say so. */
    remove(workspaceId: string, id: string, why?: "stopped-waiting"): Promise<void>;
  };
};

export type SharingEvent =
  | { workspaceId: string; browserId: string; sharing: Sharing }
  | { workspaceId: string; browserId: string; declined: string };

/** The log of a workspace, read by people and programs. `log/` */
export type WorkspaceLog = {
  /** Never fails the caller: a fault goes to onFault. */
  note(workspaceId: string, level: LogLevel, source: string, message: string): void;
  add(
    workspaceId: string,
    entries: readonly { level: LogLevel; source: string; message: string }[],
  ): Promise<LogEntry[]>;
};

/** An open file, whose content is never in memory as a whole. */
export type OpenFile = AsyncDisposable & {
  size: number;
  sha256: string;
  /** UTF-8 without zero bytes. */
  isText: boolean;
  modifiedMs: number;
  /** Reads it, then closes it. */
  stream(): Readable;
};

/** Where the files of a workspace are. It stays when the workspace is renamed. */
export type Project = Pick<Workspace, "ownerId" | "folder">;

/** The files of workspaces, one folder per workspace. `files/` */
export type Files = {
  /** `<projects>/@<owner's id>/<folder>`; asking does not create it. */
  folderOf(workspace: Project): string;
  /** Undefined: there is no such file. Does not follow links; 422 file-name-refused. */
  open(workspace: Project, path: string): Promise<OpenFile | undefined>;
  /** Atomically (a new file, then renamed), with the folders above it. */
  write(workspace: Project, path: string, bytes: Uint8Array): Promise<void>;
  /** Deletes all files of one project. */
  removeProject(workspace: Project): Promise<void>;
  /** Bytes of all files of all projects of an owner. */
  sizeOf(ownerId: string): Promise<number>;
  /** Deletes the files of all projects of an owner that was removed. */
  removeOwner(ownerId: string): Promise<void>;
};

/** How many bytes of files and screenshots each owner has, and that no owner has more than the quota. `files/` */
export type Usage = {
  /** Does `work`, which adds this many bytes (below 0: frees them); 409 quota-reached, and nothing is done. */
  changing<T>(ownerId: string, bytes: number, work: () => Promise<T>): Promise<T>;
  read(ownerId: string): Promise<number>;
};

export type Services = Dependencies & {
  catalog: Catalog;
  workspaces: Workspaces;
  live: Live;
  log: WorkspaceLog;
  files: Files;
  usage: Usage;
  packageRules: ReadPackageRules;
};
