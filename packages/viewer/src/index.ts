export { serveMcpOverStdio } from "./mcp/stdio.ts";
export { serveViewerProcess } from "./serve-viewer-process.ts";
export { openViewer, type Viewer } from "./viewer.ts";
