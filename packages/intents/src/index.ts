export { ensureOwner } from "./owner.ts";
export { type AccountTables, createAccountStore, migrations } from "./store.ts";
