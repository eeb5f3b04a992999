export type { PackageVersion } from "@backplane/contract/registry";
export type { Explained } from "../versions/choose.ts";
export type { Tool } from "../versions/compatible.ts";
export type { InstalledEntry, Manifest, Plan, Verified } from "./installed.ts";
export { ManagerFault } from "./manager-fault.ts";
export type * from "./manager-types.ts";
export { openManager } from "./open-manager.ts";
export { exitCodeOf, exitCodeOfVerified } from "./outcomes.ts";
