import type * as wire from "@backplane/contract/panels";

export type {
  AddedSplit as OpenedSplit,
  AddedTab as OpenedTab,
  CatalogPanel,
  EvalLog,
  EvalResult,
  JsonObject as PanelState,
  Layout as WorkspaceLayout,
  LayoutNode as WorkspaceNode,
  ListedTab,
  LogEntry,
  NewLogEntry,
  Probe as WorkspaceProbe,
  Screenshot,
  ScreenshotStatus,
  Tab as WorkspaceTab,
  WebviewReport,
  WorkspaceSummary,
} from "@backplane/contract/panels";

/** An optional field may also be given as undefined. */
type Options<Fields> = {
  [Name in keyof Fields]: Record<never, never> extends Pick<Fields, Name> ? Fields[Name] | undefined : Fields[Name];
};

/** For a web view `initialState: { url }` loads a page at once. */
export type NewPanel = Options<wire.NewPanel>;
export type NewTab = Options<Omit<wire.AddTab, "revision">>;
export type NewSplit = Options<Omit<wire.AddSplit, "revision">>;
export type TabMove = Options<Omit<wire.MoveTab, "revision">>;
/** `maxDimension`: the longer side in pixels, 1568 unless given, 0 for the original size. `waitForSharing`: seconds. */
export type ScreenshotOptions = Options<Omit<wire.ScreenshotRequest, "format">>;
/** `after`: only lines after the one with this id. */
export type LogQuery = Options<Pick<wire.LogQuery, "after" | "level" | "source">>;
