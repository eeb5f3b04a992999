export { createWorkspaceServer, moreTools } from "./server.ts";
export { PANEL_TOOLS } from "./tools.ts";
