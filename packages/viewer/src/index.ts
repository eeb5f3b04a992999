export type { Paste, PasteList, PasteWithText, SearchHit, Widget } from "@backplane/contract/viewer";
export { findViewer } from "./find-viewer.ts";
export { serveMcpOverStdio } from "./mcp/index.ts";
export { serveViewerProcess } from "./serve-viewer-process.ts";
export type { ViewerAccess } from "./services.ts";
export { openViewer } from "./viewer.ts";
