export type { PackageVersion } from "@backplane/contract/registry";
export type { Manifest } from "../repository/manifests-json.ts";
export type { Explained } from "../versions/choose-version.ts";
export type { Tool } from "../versions/compatibility.ts";
export { ManagerFault } from "./faults.ts";
export type * from "./manager-types.ts";
export type { InstalledEntry, Plan, Verified } from "./manager-types.ts";
export { openManager } from "./open-manager.ts";
export { exitCodeOfOutcomes, exitCodeOfVerified } from "./outcomes.ts";
