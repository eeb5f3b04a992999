// What authors of packages and keepers of repositories use, on their own machines.

export type { CheckNote } from "@backplane/contract/registry";
export { inspectArchive } from "./archives/inspect.ts";
export { packFolder } from "./archives/pack.ts";
export { lintPackage, lintPackages, lintRepository } from "./metadata/lint.ts";
export { readPackage, readPackages, readRepository } from "./metadata/read.ts";
export { buildRepository } from "./repository/build.ts";
export { newSigningKey, publicKeyOf, readSigningKey } from "./signing/keys.ts";
export type { SigningKey } from "./signing/signed-index.ts";
