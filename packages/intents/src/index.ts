export { openIntentsArea } from "./area.ts";
export type { IntentTables } from "./store.ts";
