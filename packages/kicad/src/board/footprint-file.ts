import { boxOfPoints } from "../drawing/boxes.ts";
import type { Point } from "../schematic/geometry.ts";
import { child, faultAt, nameOf, numbersIn, readTree, textOf } from "../sexpr/index.ts";
import { readFootprint } from "./footprints.ts";
import { kindOfLayer, readLayers } from "./layers.ts";
import type { Board, BoardText } from "./model.ts";
import { readNetTable } from "./nets.ts";
import { createValues } from "./values.ts";

/** Files of footprints do not list the layers that they name. */
const LAYERS = readTree(`(kicad_pcb (layers (0 "F.Cu" signal) (2 "B.Cu" signal) (13 "F.Paste" user) (15 "B.Paste" user)
  (5 "F.SilkS" user) (7 "B.SilkS" user) (1 "F.Mask" user) (3 "B.Mask" user) (25 "Edge.Cuts" user)
  (31 "F.CrtYd" user) (29 "B.CrtYd" user) (35 "F.Fab" user) (33 "B.Fab" user)))`);
/** Of KiCad 9, whose numbers of layers these are. */
const VERSION = 20241229;
/** Around everything that is drawn. */
const MARGIN_MM = 0.5;

/**
 * One `.kicad_mod` file as a board of its own, which is as large as what is drawn on it. Throws a FileFault for text that is not a
 * footprint of KiCad 4 or later, and for one that is beyond the limits.
 */
export function readFootprintFile(text: string): Board {
  const root = readTree(text);
  if (nameOf(root) !== "footprint" && nameOf(root) !== "module")
    throw faultAt(text, root.start, "This is not a KiCad footprint");
  const reading = { values: createValues(text), layers: readLayers(LAYERS, VERSION), nets: readNetTable(root) };
  const { part, pads, graphics, texts } = readFootprint(root, 0, reading, { x: 0, y: 0 });
  const [version = 0] = numbersIn(child(root, "version"));
  const drawn = [...graphics, ...pads.flatMap(({ strokes }) => strokes)].flatMap(({ points }) => points);
  const printed = texts.filter(({ layer }) => kindOfLayer(layer) === "silk").flatMap(cornersOf);
  const around = boxOfPoints([...drawn, ...printed, { x: 0, y: 0 }]);
  const box = {
    ...{ left: around.left - MARGIN_MM, right: around.right + MARGIN_MM },
    ...{ top: around.top - MARGIN_MM, bottom: around.bottom + MARGIN_MM },
  };
  const corners = [
    { x: box.left, y: box.top },
    { x: box.right, y: box.top },
    { x: box.right, y: box.bottom },
    { x: box.left, y: box.bottom },
  ];
  return {
    ...{ version, generator: textOf(root, "generator") ?? "", thicknessMm: 1.6, layers: reading.layers.all },
    ...{ outline: { solids: [{ points: corners, holes: [] }], box }, parts: [part], pads, graphics, texts },
    ...{ tracks: [], vias: [], zones: [], notes: [], nets: reading.nets.names },
  };
}

/** About where a text ends. Most letters are a little narrower than their height says. */
function cornersOf({ at, angle, text, effects: { heightMm, widthMm } }: BoardText): Point[] {
  const long = (Math.min(text.length, 40) * widthMm) / 2;
  const [x, y] = angle % 180 === 0 ? [long, heightMm / 2] : [heightMm / 2, long];
  return [
    { x: at.x - x, y: at.y - y },
    { x: at.x + x, y: at.y + y },
  ];
}
