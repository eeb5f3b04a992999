import type { BusEntry, Image, Item, Junction, Label, Line, NoConnect, RuleArea, Sheet } from "../schematic/items.ts";
import { imageData } from "../schematic/read-item.ts";
import type { TextBox } from "../schematic/shapes.ts";
import { type Drawn, drawn } from "./drawn.ts";
import { pngSize } from "./png.ts";
import { BUS_MM, circle, LINE_MM, lineStyle, type Primitive, path, type Writing } from "./primitives.ts";
import { directionOf, flag, globalOutline, spinOf, textAlong } from "./shapes.ts";
import { cssColour, styleOf } from "./styles.ts";
import { drawShape, type Wording } from "./symbol.ts";
import { wrapText } from "./text.ts";
import { writing } from "./writing.ts";

const JUNCTION_MM = 0.9144;
const NO_CONNECT_MM = 0.6096;
/** Text of a label is so far above its wire, relative to its size. */
const RISE = 0.35;
const MARGIN_MM = 1;

const drawLine = (line: Line): Primitive[] => [
  path([line.start, line.end], styleOf(line.kind, line.stroke, line.kind === "bus" ? BUS_MM : LINE_MM)),
];

const drawEntry = (entry: BusEntry): Primitive[] => [path([entry.at, entry.end], styleOf("wire", entry.stroke))];

const drawJunction = ({ at, diameterMm }: Junction): Primitive[] => [
  circle(at, (diameterMm > 0 ? diameterMm : JUNCTION_MM) / 2, lineStyle("junction", { width: 0, fill: "ink" })),
];

const drawNoConnect = ({ at: { x, y } }: NoConnect): Primitive[] =>
  [NO_CONNECT_MM, -NO_CONNECT_MM].map((to) =>
    path(
      [
        { x: x - NO_CONNECT_MM, y: y - to },
        { x: x + NO_CONNECT_MM, y: y + to },
      ],
      lineStyle("no-connect"),
    ),
  );

function drawLabel(label: Label, words: string): Primitive[] {
  const { at, shape = "passive", effects } = label;
  const spin = spinOf(label.angle);
  const direction = directionOf(spin);
  const colour = cssColour(effects.colour);
  const size = effects.heightMm;
  const look = { role: "label", size, isBold: effects.bold, isItalic: effects.italic, colour } as const;
  const along = (mm: number) => ({ x: at.x + direction.x * mm, y: at.y + direction.y * mm });
  const style = lineStyle("label", { colour });
  if (label.scope === "global") {
    const { outline, textFrom } = globalOutline(shape, words, size, spin, at, style);
    return [outline, textAlong(words, along(textFrom), spin, "center", look)];
  }
  if (label.scope === "hierarchical")
    return [flag(shape, size, spin, at, style), textAlong(words, along(size * 1.25), spin, "center", look)];
  if (label.scope === "directive") {
    const end = along(2.54);
    return [path([at, end], style), circle(end, 0.5, { ...style, fill: shape === "dot" ? "ink" : "none" })];
  }
  const rise = RISE * size;
  const from = spin === 0 || spin === 180 ? { x: at.x, y: at.y - rise } : { x: at.x - rise, y: at.y };
  return [textAlong(words, from, spin, "bottom", look)];
}

function drawSheetItem(sheet: Sheet, wording: Wording): { body: Primitive[]; fields: Primitive[] } {
  const { at, size } = sheet;
  const [right, bottom] = [at.x + size.x, at.y + size.y];
  const outline = [at, { x: right, y: at.y }, { x: right, y: bottom }, { x: at.x, y: bottom }];
  const style = styleOf("sheet", sheet.stroke, LINE_MM, sheet.fill);
  const ground = style.fill === "none" ? "ground" : style.fill;
  const pins = sheet.pins.flatMap((pin) => {
    // A pin's angle says at which side it is: its text goes the other way, into the sheet.
    const spin = spinOf(pin.angle + 180);
    const { x, y } = directionOf(spin);
    const textSize = pin.effects.heightMm;
    const from = { x: pin.at.x + x * textSize * 1.25, y: pin.at.y + y * textSize * 1.25 };
    return [
      flag(mirrored(pin.shape), textSize, spin, pin.at, lineStyle("sheet", { fill: "ground" })),
      textAlong(pin.name, from, spin, "center", { role: "label", size: textSize }),
    ];
  });
  const wordsOf = ({ name, text }: { name: string; text: string }) =>
    /^sheet ?file$/i.test(name) ? `File: ${text}` : wording(text);
  const fields = sheet.fields
    .filter((field) => !field.effects.hidden && field.text !== "")
    .map((field) => writing(/^sheet ?name$/i.test(field.name) ? "reference" : "field", field, wordsOf(field)));
  return { body: [path(outline, { ...style, fill: ground }, true), ...pins], fields };
}

/** Seen from outside, what goes into the sheet points into it. */
const mirrored = (shape: string): string => ({ input: "output", output: "input" })[shape] ?? shape;

function drawTextBox(box: TextBox, words: string): Primitive[] {
  const { at, size, effects } = box;
  const margin = box.marginsMm ?? [MARGIN_MM, MARGIN_MM, MARGIN_MM, MARGIN_MM];
  const [left, top, right, bottom] = [
    at.x + margin[0],
    at.y + margin[1],
    at.x + size.x - margin[2],
    at.y + size.y - margin[3],
  ];
  const outline = [
    at,
    { x: at.x + size.x, y: at.y },
    { x: at.x + size.x, y: at.y + size.y },
    { x: at.x, y: at.y + size.y },
  ];
  const text: Writing = {
    ...{ kind: "text", role: "note", isTurned: false, size: effects.heightMm, colour: cssColour(effects.colour) },
    ...{ text: wrapText(words, effects.heightMm, right - left), isBold: effects.bold, isItalic: effects.italic },
    ...{ across: effects.horizontal, down: effects.vertical },
    at: {
      x: { left, center: (left + right) / 2, right }[effects.horizontal],
      y: { top, center: (top + bottom) / 2, bottom }[effects.vertical],
    },
  };
  const hasEdge = box.stroke.widthMm >= 0;
  return [...(hasEdge ? [path(outline, styleOf("note", box.stroke, LINE_MM, box.fill), true)] : []), text];
}

/** KiCad takes pictures at 300 pixels per inch. */
const MM_PER_PIXEL = 25.4 / 300;

function drawImage(image: Image): Primitive[] {
  const base64 = imageData(image.node);
  const size = pngSize(base64);
  const [width, height] = [size?.width ?? 120, size?.height ?? 120].map((px) => px * MM_PER_PIXEL * image.scale) as [
    number,
    number,
  ];
  const { x, y } = image.at;
  const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
  const corners = [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
  return size
    ? [{ kind: "picture", at: image.at, width, height, base64 }]
    : [path(corners, lineStyle("missing", { dash: "dash" }), true)];
}

const drawArea = ({ outline, stroke, fill }: RuleArea): Primitive[] =>
  outline.length === 0 ? [] : [path(outline, { ...styleOf("note", stroke, LINE_MM, fill), dash: "dash" }, true)];

/** Everything but symbols, which need to know where they are used. */
export function drawItem(item: Exclude<Item, { kind: "symbol" }>, id: string, wording: Wording): Drawn {
  switch (item.kind) {
    case "wire":
    case "bus":
      return drawn(id, { body: drawLine(item) });
    case "bus_entry":
      return drawn(id, { body: drawEntry(item) });
    case "junction":
      return drawn(id, { body: drawJunction(item) });
    case "no_connect":
      return drawn(id, { body: drawNoConnect(item) });
    case "label":
      return drawn(id, { body: drawLabel(item, wording(item.text)) });
    case "sheet":
      return drawn(id, { ...drawSheetItem(item, wording), isSolid: true });
    case "text":
      return drawn(id, { body: [writing("note", item, wording(item.text))], isSolid: true });
    case "text_box":
      return drawn(id, { body: drawTextBox(item, wording(item.text)), isSolid: true });
    case "shape":
      return drawn(id, { body: drawShape("note", item.drawing) });
    case "image":
      return drawn(id, { body: drawImage(item), isSolid: true });
    case "rule_area":
      return drawn(id, { body: drawArea(item) });
    case "table":
      return drawn(id, { body: item.cells.flatMap((cell) => drawTextBox(cell, wording(cell.text))), isSolid: true });
  }
}
