export { ensureOwner } from "./accounts/owner.ts";
export { openAccountsArea } from "./area.ts";
export { openCallers } from "./callers/callers.ts";
export { migrations } from "./migrations.ts";
export type { AccountTables } from "./tables.ts";
