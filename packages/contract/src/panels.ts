// Workspaces of panels: limits first, then one file for each thing that programs and browsers exchange.
export * from "./panels/catalog.ts";
export {
  type JsonData,
  type JsonObject,
  LOG_LEVELS,
  type LogLevel,
  MAX_REPO_LENGTH,
  PanelQuery,
  REPO_PATTERN,
  WorkspaceParams,
} from "./panels/common.ts";
export * from "./panels/files-and-log.ts";
export * from "./panels/layout.ts";
export * from "./panels/lessons.ts";
export * from "./panels/limits.ts";
export * from "./panels/opening.ts";
export * from "./panels/package-limits.ts";
export type * from "./panels/package-port.ts";
export * from "./panels/packages.ts";
export * from "./panels/panel-state.ts";
export * from "./panels/sandbox.ts";
export * from "./panels/schematics.ts";
export * from "./panels/screenshots.ts";
export * from "./panels/socket.ts";
export * from "./panels/state-schema.ts";
export * from "./panels/webview.ts";
