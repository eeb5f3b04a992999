export { ToolFault } from "./faults.ts";
export { createPanelsServer } from "./server.ts";
export { PANEL_TOOLS, type WorkspaceCalls } from "./tools.ts";
