export { openPanelsArea, type PanelsArea } from "./area.ts";
export { migrations } from "./migrations.ts";
export type { OnCreated } from "./services.ts";
export type { PanelsTables } from "./tables.ts";
