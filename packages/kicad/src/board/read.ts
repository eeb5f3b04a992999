import {
  child,
  children,
  faultAt,
  flag,
  type List,
  nameOf,
  numbersIn,
  readTree,
  textAt,
  textOf,
} from "../sexpr/index.ts";
import { type Footprint, type Reading, readBoardText, readFootprint, readGraphics } from "./footprints.ts";
import { readLayers, thicknessOf } from "./layers.ts";
import { arcBetween, readPointList } from "./lines.ts";
import type { Board, BoardText, Graphic, Track, Via, Zone } from "./model.ts";
import { readNetTable } from "./nets.ts";
import { readOutline } from "./outline.ts";
import { createValues } from "./values.ts";

const same = <Thing>(thing: Thing): Thing => thing;

/** Throws a FileFault for text that is not a KiCad board, and for one that is beyond the limits. */
export function readBoard(text: string): Board {
  const root = readTree(text);
  if (nameOf(root) !== "kicad_pcb") throw faultAt(text, root.start, "This is not a KiCad board");
  const [version] = numbersIn(child(root, "version"));
  if (version === undefined) throw faultAt(text, root.start, "The board does not say its file version");
  const reading: Reading = { values: createValues(text), layers: readLayers(root, version), nets: readNetTable(root) };
  const nodes = root.items.filter((node): node is List => node.kind === "list");
  const footprints = nodes
    .filter((node) => nameOf(node) === "footprint" || nameOf(node) === "module")
    .map((node, place) => ({ node, ...readFootprint(node, place, reading) }));
  const zones = [root, ...footprints.map(({ node }) => node)].flatMap((owner) => children(owner, "zone"));
  const graphics = [...readOwnGraphics(nodes, reading), ...footprints.flatMap((footprint) => footprint.graphics)];
  const edges = graphics.filter(({ layer }) => layer === "Edge.Cuts").map(({ points }) => points);
  const everything = () => [
    ...graphics.flatMap(({ points }) => points),
    ...footprints.flatMap(({ pads }) => pads.map(({ at }) => at)),
  ];
  const { outline, notes } = readOutline(edges, everything);
  return {
    version,
    generator: textOf(root, "generator") ?? textAt(child(root, "host"), 1) ?? "",
    thicknessMm: thicknessOf(root),
    layers: reading.layers.all,
    parts: footprints.map(({ part }) => part),
    pads: footprints.flatMap(({ pads }) => pads),
    tracks: nodes.flatMap((node) => readTrack(node, reading) ?? []),
    vias: children(root, "via").map((node) => readVia(node, reading)),
    zones: zones.flatMap((node) => readZone(node, reading)).sort((a, b) => a.priority - b.priority),
    texts: [...readOwnTexts(nodes, reading), ...footprints.flatMap((footprint: Footprint) => footprint.texts)],
    // Read last: items can name nets that the list of the file does not have.
    ...{ graphics, outline, notes, nets: reading.nets.names },
  };
}

const readOwnGraphics = (nodes: readonly List[], reading: Reading): Graphic[] =>
  nodes.filter((node) => nameOf(node)?.startsWith("gr_")).flatMap((node) => readGraphics(node, reading, same));

const TEXTS = new Set(["gr_text", "gr_text_box"]);

const readOwnTexts = (nodes: readonly List[], reading: Reading): BoardText[] =>
  nodes
    // A dimension carries its text as a list of its own.
    .flatMap((node) => (nameOf(node) === "dimension" ? children(node, "gr_text") : [node]))
    .filter((node) => TEXTS.has(nameOf(node) ?? ""))
    .flatMap((node) => readBoardText(node, textAt(node, 1) ?? "", reading) ?? []);

function readTrack(node: List, { values, layers, nets }: Reading): Track | undefined {
  const kind = nameOf(node);
  if (kind !== "segment" && kind !== "arc") return undefined;
  const [start, end] = [values.pointOf(node, "start"), values.pointOf(node, "end")];
  const points = kind === "arc" ? arcBetween(start, values.pointOf(node, "mid"), end) : [start, end];
  values.count(points.length, node);
  return { layer: layers.of(node)[0] ?? "", points, widthMm: values.length(node, "width"), net: nets.of(node) };
}

function readVia(node: List, { values, layers, nets }: Reading): Via {
  const [first = "F.Cu", last = "B.Cu"] = layers.of(node);
  const sizeMm = values.length(node, "size", 0.6);
  return {
    ...{
      at: values.pointOf(node, "at"),
      sizeMm,
      drillMm: values.length(node, "drill", sizeMm / 2),
      net: nets.of(node),
    },
    layers: layers.copperBetween(first, last),
  };
}

function readZone(node: List, { values, layers, nets }: Reading): Zone[] {
  if (child(node, "keepout") !== undefined) return [];
  const net = nets.of(node);
  const [priority = 0] = numbersIn(child(node, "priority"));
  const hasEdge = child(node, "filled_areas_thickness") === undefined || flag(node, "filled_areas_thickness");
  const edgeMm = hasEdge ? values.length(node, "min_thickness") : 0;
  const byLayer = new Map<string, Zone["areas"][number][]>();
  for (const filled of children(node, "filled_polygon")) {
    const [layer = ""] = child(filled, "layer") === undefined ? layers.of(node) : layers.of(filled);
    const areas = byLayer.get(layer) ?? [];
    byLayer.set(layer, areas);
    areas.push(readPointList(filled, values));
  }
  return [...byLayer].map(([layer, areas]) => ({ layer, net, priority, areas, edgeMm }));
}
