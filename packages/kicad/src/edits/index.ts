export {
  addBusEntry,
  addJunction,
  addLabel,
  addNoConnect,
  addSheet,
  addText,
  drawBus,
  drawWire,
  removeItems,
  rightAngled,
} from "./add.ts";
export { connectionPoints } from "./connection-points.ts";
export { copyItems, pasteItems } from "./copy.ts";
export { EditHistory } from "./history.ts";
export { moveItems } from "./move.ts";
export type { NewField, NewLabel, NewSheet, NewSheetPin } from "./new-items.ts";
export { type Placement, placeSymbol } from "./place-symbol.ts";
export { annotate, type FileSplices, setField, setFieldIn, setReference } from "./set-fields.ts";
export { EditFault } from "./text.ts";
export { type Turn, turnItems } from "./turn.ts";
