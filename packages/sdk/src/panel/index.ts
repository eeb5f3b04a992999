export { connectPanel, type Panel } from "./connect-panel.ts";
export { panelModule } from "./panel-module.ts";
