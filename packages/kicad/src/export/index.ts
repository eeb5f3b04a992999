export { type BomLine, readBom, writeBom } from "./bom.ts";
export { type Component, componentsOf } from "./components.ts";
export { writeNetlist } from "./netlist.ts";
