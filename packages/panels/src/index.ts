export { openPanelsArea, type PanelsArea } from "./area.ts";
export type { PanelsTables } from "./tables.ts";
export { migrations } from "./tables.ts";
