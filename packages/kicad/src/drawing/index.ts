export { boxOf, grown, joined } from "./boxes.ts";
export type { Drawn } from "./drawn.ts";
export { itemsAt, itemsWithin } from "./hit.ts";
export type { Box, LineStyle, Primitive, Role, Writing } from "./primitives.ts";
export { type DrawnSheet, drawSheet, idOf } from "./sheet.ts";
export { createSpatialIndex, type SpatialIndex } from "./spatial.ts";
export { DASHES, toSvg } from "./svg.ts";
export { drawPlacement } from "./symbol.ts";
export { EM, layText } from "./text.ts";
