export { openRegistryArea, type RegistryArea } from "./server/area.ts";
export { migrations } from "./server/migrations.ts";
export type { Owners } from "./server/owners.ts";
export type { RegistryTables } from "./server/tables.ts";
