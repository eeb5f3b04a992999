export * from "./accounts/contract.ts";
export * from "./api-keys/contract.ts";
export * from "./intents/contract.ts";
export * from "./organisations/contract.ts";
export * from "./passkeys/contract.ts";
export * from "./sessions/contract.ts";
