export type { Paste, PasteList, PasteWithText, SearchHit, Widget } from "@backplane/contract/viewer";
export { findViewer } from "./client/http-access.ts";
export { serveMcpOverStdio } from "./mcp/stdio.ts";
export { nameFromTitle } from "./naming/names/name-from-title.ts";
export { serveViewerProcess } from "./serve-viewer-process.ts";
export type { ViewerAccess } from "./services.ts";
export { openViewer } from "./viewer.ts";
