export { clusterFaults } from "./cluster-faults.ts";
export { folderId } from "./folder-id.ts";
export { joinInstances, readInstances } from "./instances.ts";
export { migrations } from "./migrations.ts";
