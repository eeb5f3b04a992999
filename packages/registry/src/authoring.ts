// What authors of packages and owners of repositories use on their own machines.

export type { CheckNote } from "@backplane/contract/registry";
export { packFolder } from "./archives/pack.ts";
export { inspectArchive } from "./archives/read-archive.ts";
export { lintPackage, lintPackages, lintRepository } from "./metadata/lint/lint.ts";
export { readPackage, readPackages, readRepository } from "./metadata/read.ts";
export { type UnpackedPanel, unpackPanel } from "./panels/unpack-panel.ts";
export { buildRepository } from "./repository/build.ts";
export { newSigningKey, publicKeyOf, readSigningKey, type SigningKey } from "./signing/keys.ts";
