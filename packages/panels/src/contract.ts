export * from "./contract/catalog.ts";
export * from "./contract/control.ts";
export * from "./contract/layout.ts";
export * from "./contract/limits.ts";
export * from "./contract/live.ts";
export * from "./contract/names.ts";
export * from "./contract/project.ts";
export * from "./contract/screenshots.ts";
export type { EvalLog, FrameToPage, OuterToPage, PageToFrame, PageToOuter } from "./sandbox/frame-contract.ts";
