export {
  type Design,
  fieldIn,
  MAX_SHEETS,
  type OpenFile,
  pinsOf,
  readDesign,
  referenceOf,
  resolveSheetFile,
  rootInstanceOf,
  type SheetFault,
  type SheetInstance,
  unitOf,
} from "./design.ts";
export { type Field, fieldText } from "./fields.ts";
export {
  isOnLine,
  type Mirror,
  normalAngle,
  type Point,
  placeKey,
  round,
  samePlace,
  symbolTransform,
  type Transform,
  transformPoint,
} from "./geometry.ts";
export type * from "./items.ts";
export {
  type LibraryPart,
  type LibraryPin,
  type LibrarySymbol,
  readLibrarySymbol,
  readSymbolLibrary,
} from "./library.ts";
export { itemsOf, MAX_PINS, type Paper, readSchematic, type Schematic, type TitleBlock } from "./read.ts";
export { imageData } from "./read-item.ts";
export type { Colour, Fill, Shape, Stroke, Text, TextBox, TextEffects } from "./shapes.ts";
export { partsOf, placePin, referenceShown, valueShown } from "./symbols.ts";
export { type Dialect, dialectOf, readOnlyReason } from "./versions.ts";
