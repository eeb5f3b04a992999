import { type Static, Type } from "typebox";
import { JSON_OBJECT, NODE_ID, WorkspaceParams } from "./common.ts";
import { PANELS_LIMITS } from "./limits.ts";

export const Tab = Type.Object({
  id: Type.String(),
  /** `<owner>/<panel_uuid>`, as in the catalog; or the alias that the tab was opened with. */
  panelType: Type.String(),
  /** The panel's identifier, when `panelType` is an alias. Stored, so that the tab outlives the alias. */
  aliasOf: Type.Optional(Type.String()),
  panelState: JSON_OBJECT,
  /** Chosen when the tab was opened: a stable handle, and the text on the tab. */
  displayName: Type.Optional(Type.String()),
  displayIcon: Type.Optional(Type.String()),
  /** The program that last drove it. */
  drivenBy: Type.Optional(Type.String()),
});
export type Tab = Static<typeof Tab>;
/** The identifier of a tab's panel in the catalog, whichever spelling opened the tab. */
export const identifierOf = ({ aliasOf, panelType }: Pick<Tab, "aliasOf" | "panelType">): string =>
  aliasOf ?? panelType;
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

/** GET …/current. The root's own keys are repeated at the top level: existing programs read either. */
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
  ...{ tabId: Type.String(), panelId: Type.String(), name: Type.String(), kind: Type.String() },
  active: Type.Boolean(),
  isActive: Type.Boolean({ description: "The same as active, as existing programs read it" }),
});
export type ListedTab = Static<typeof ListedTab>;
export const ListedTabs = Type.Object({ revision: Type.Integer(), tabs: Type.Array(ListedTab) });

/** A panel in a picture of the layout, in shares of the whole; the kind of its active tab. */
export const OutlinePanel = Type.Object({
  ...{ left: Type.Number(), top: Type.Number(), width: Type.Number(), height: Type.Number() },
  kind: Type.Union([Type.String(), Type.Null()]),
});
export type OutlinePanel = Static<typeof OutlinePanel>;

/** GET /api/workspaces */
export const WorkspaceSummary = Type.Object({
  ...{ owner: Type.String(), repo: Type.String(), tabs: Type.Integer(), updatedAt: Type.String() },
  browserConnected: Type.Boolean(),
  outline: Type.Array(OutlinePanel, { description: "Where its panels are" }),
  mayManage: Type.Boolean({ description: "You may rename, share and delete it" }),
  isShared: Type.Boolean({ description: "Its owner shares it with you" }),
  firstRepo: Type.Optional(Type.String({ description: "The name it was created with, if it was renamed" })),
});
export type WorkspaceSummary = Static<typeof WorkspaceSummary>;
export const WorkspaceList = Type.Object({
  workspaces: Type.Array(WorkspaceSummary),
  truncated: Type.Boolean(),
  /** What others want to share with this person. It counts for nothing until the person accepts. */
  invitations: Type.Array(Type.Object({ owner: Type.String(), repo: Type.String() })),
});
export type WorkspaceList = Static<typeof WorkspaceList>;

/** GET /api/workspaces/editor/{owner}/{repo}/people */
export const SharedPeople = Type.Object({
  people: Type.Array(Type.Object({ name: Type.String(), accepted: Type.Boolean() })),
});
export type SharedPeople = Static<typeof SharedPeople>;

/** Names the workspace that was used last. */
export const LAST_USED_SLUG = "hdlocal";
/** GET /containers/{slug}: a workspace, as programs of other systems ask for it. */
export const ContainerParams = Type.Object({
  slug: Type.String({ pattern: "^[a-zA-Z0-9._-]{1,160}$", description: "owner--name, or hdlocal: the one used last" }),
});
export const Container = Type.Object({
  slug: Type.String(),
  repository: Type.Object({ name: Type.String(), owner: Type.Object({ name: Type.String() }) }),
});

/** POST /api/workspaces */
export const CreateWorkspace = Type.Object({
  ...WorkspaceParams.properties,
  layoutOf: Type.Optional(
    Type.Object(WorkspaceParams.properties, {
      description: "Start with the panels of this workspace, without its files",
    }),
  ),
});
export type CreateWorkspace = Static<typeof CreateWorkspace>;

/** PATCH /api/workspaces/editor/{owner}/{repo} */
export const RenameWorkspace = Type.Object({ repo: WorkspaceParams.properties.repo });
/** DELETE /api/workspaces/editor/{owner}/{repo} */
export const RemoveWorkspaceQuery = Type.Object({
  files: Type.Optional(Type.Boolean({ description: "true: also the files and screenshots of its project" })),
});

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
    description: "As in the catalog, one of its aliases, or its short name: webview",
  }),
  displayName: Type.Optional(DISPLAY_NAME),
  displayIcon: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: PANELS_LIMITS.maxIconBytes },
      description: "The name of an icon (book, mdi:chip), or a data URL of a PNG or SVG picture",
    }),
  ),
  initialState: Type.Optional(JSON_OBJECT),
  /** Other spellings of `displayName` and `initialState`, which win if both are sent. */
  name: Type.Optional(DISPLAY_NAME),
  panelState: Type.Optional(JSON_OBJECT),
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
export const CloseTab = Type.Object(
  {
    panelId: Type.Optional(NODE_ID),
    tabId: Type.Optional(NODE_ID),
    name: Type.Optional(DISPLAY_NAME),
    ...REVISION,
  },
  { examples: [{ name: "Motor control" }] },
);
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
const OPENED = {
  ...{ panelId: Type.String(), tabId: Type.String(), reused: Type.Boolean() },
  built: Type.Boolean({ description: "Always true: every panel of the catalog can be used" }),
  ...CHANGED,
};
export const LayoutChange = Type.Object(CHANGED);
export const UndoneChange = Type.Object({
  ...CHANGED,
  leftOut: Type.Optional(Type.Array(Type.String({ description: "A panel that did not come back, and why" }))),
});
export const AddedTab = Type.Object(OPENED);
export type AddedTab = Static<typeof AddedTab>;
export const AddedSplit = Type.Object({ newPanelId: Type.String(), ...OPENED });
export type AddedSplit = Static<typeof AddedSplit>;
export const ClosedTab = Type.Object({ tabId: Type.String(), ...CHANGED });
/** `panelId`: where the tab is now. */
export const MovedTab = Type.Object({ panelId: Type.String(), ...CHANGED });
