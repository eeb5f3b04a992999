export { type FoundText, findText, replaceText, type TextQuery } from "./find.ts";
export { pasteInto, placeSymbolIn } from "./place.ts";
export {
  addSheetPin,
  type CreatedSheet,
  createSheet,
  edgeOf,
  labelsWithoutPin,
  removeSheetPin,
  type SheetBox,
} from "./sheets.ts";
