export { type Credentials, readCredentials } from "./credentials.ts";
export type { TokenEntry } from "./token-list.ts";
export type { TokenRecord } from "./token-record.ts";
export { createTokenSource, type TokenSource, type TokenSourceOptions } from "./token-source.ts";
export { openTokenStore, type TokenStore, type TokenStoreOptions } from "./token-store.ts";
