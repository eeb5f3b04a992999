export { type BusAliases, type BusMember, busMembers, isBusName, MAX_BUS_MEMBERS } from "./bus-names.ts";
export { powerName } from "./connect.ts";
export { LineIndex } from "./line-index.ts";
export type { Net, NetPin } from "./net.ts";
export { type NetClass, type NetClasses, readNetClasses } from "./net-classes.ts";
export { readableNetName } from "./net-names.ts";
export { type Nets, readNets } from "./nets.ts";
