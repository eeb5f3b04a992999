export { type Credentials, readCredentials } from "./credentials.ts";
export type { TokenEntry, TokenRecord } from "./token-file.ts";
export { createTokenSource, type TokenSource, type TokenSourceOptions } from "./token-source.ts";
export { openTokenStore, type TokenStore, type TokenStoreOptions } from "./token-store.ts";
