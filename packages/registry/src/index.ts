export { openRegistryArea, type RegistryArea } from "./server/area.ts";
export type { Owners } from "./server/owners.ts";
export { migrations, type RegistryTables } from "./server/tables.ts";
