import { type Static, Type } from "typebox";
import { PANELS_LIMITS } from "./limits.ts";
import { type JsonObject, NODE_ID } from "./names.ts";

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
