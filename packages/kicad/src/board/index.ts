export { type Found, findAt, snapTo, type Where } from "./find.ts";
export { readFootprintFile } from "./footprint-file.ts";
export { turn } from "./lines.ts";
export type * from "./model.ts";
export { type NetFacts, netFacts } from "./nets.ts";
export { readBoard } from "./read.ts";
