export { behindInVersion, clusterFaults, type Instance } from "./cluster-faults.ts";
export { folderId } from "./folder-id.ts";
export { type Instances, joinInstances, readInstances } from "./instances.ts";
export { migrations } from "./migrations.ts";
