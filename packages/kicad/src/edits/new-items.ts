import type { Dialect, Mirror, Point } from "../schematic/index.ts";
import { type NewNode, quoted } from "../sexpr/index.ts";

/** Makes items in the words of one KiCad. Each call of `newUuid` gives another uuid. */
export interface Writer {
  readonly dialect: Dialect;
  readonly newUuid: () => string;
}

export interface NewField {
  readonly name: string;
  readonly text: string;
  readonly at: Point;
  readonly angle?: number;
  readonly hidden?: boolean;
  readonly justify?: readonly string[];
}

const TEXT_MM = 1.27;

const uuidNode = ({ dialect, newUuid }: Writer): NewNode => ["uuid", dialect >= 8 ? quoted(newUuid()) : newUuid()];

/** KiCad 6 wrote the colour out, also where it is the default. */
const strokeNode = ({ dialect }: Writer): NewNode =>
  dialect === 6
    ? ["stroke", ["width", 0], ["type", "default"], ["color", 0, 0, 0, 0]]
    : ["stroke", ["width", 0], ["type", "default"]];

function effectsNode({ dialect }: Writer, justify: readonly string[] = [], hidden = false): NewNode {
  const effects: NewNode[] = ["effects", ["font", ["size", TEXT_MM, TEXT_MM]]];
  if (justify.length > 0) effects.push(["justify", ...justify]);
  if (hidden) effects.push(dialect >= 8 ? ["hide", "yes"] : "hide");
  return effects;
}

export function newField(writer: Writer, field: NewField, id: number): NewNode {
  const { name, text, at, angle = 0, hidden = false, justify = [] } = field;
  const head: NewNode[] = ["property", quoted(name), quoted(text)];
  if (writer.dialect === 6) head.push(["id", id]);
  return [...head, ["at", at.x, at.y, angle], effectsNode(writer, justify, hidden)];
}

export const newLine = (writer: Writer, kind: "wire" | "bus", start: Point, end: Point): NewNode => [
  kind,
  ["pts", ["xy", start.x, start.y], ["xy", end.x, end.y]],
  strokeNode(writer),
  uuidNode(writer),
];

export const newBusEntry = (writer: Writer, at: Point, size: Point): NewNode => [
  "bus_entry",
  ["at", at.x, at.y],
  ["size", size.x, size.y],
  strokeNode(writer),
  uuidNode(writer),
];

export const newJunction = (writer: Writer, at: Point): NewNode => [
  "junction",
  ["at", at.x, at.y],
  ["diameter", 0],
  ["color", 0, 0, 0, 0],
  uuidNode(writer),
];

export const newNoConnect = (writer: Writer, at: Point): NewNode => [
  "no_connect",
  ["at", at.x, at.y],
  uuidNode(writer),
];

export const newText = (writer: Writer, text: string, at: Point, angle = 0): NewNode => [
  "text",
  quoted(text),
  ...(writer.dialect >= 8 ? [["exclude_from_sim", "no"]] : []),
  ["at", at.x, at.y, angle],
  effectsNode(writer, ["left", "bottom"]),
  uuidNode(writer),
];

export interface NewLabel {
  readonly scope: "local" | "global" | "hierarchical";
  readonly text: string;
  readonly at: Point;
  /** 0: the text goes to the right of its place; 90: up; 180: to the left; 270: down. */
  readonly angle?: number;
  /** Of global and hierarchical ones; input unless told. */
  readonly shape?: string;
}

const LABEL_LISTS = { local: "label", global: "global_label", hierarchical: "hierarchical_label" } as const;

export function newLabel(writer: Writer, { scope, text, at, angle = 0, shape = "input" }: NewLabel): NewNode {
  const side = angle === 180 || angle === 270 ? "right" : "left";
  const label: NewNode[] = [LABEL_LISTS[scope], quoted(text)];
  if (scope !== "local") label.push(["shape", shape]);
  label.push(["at", at.x, at.y, angle], effectsNode(writer, scope === "local" ? [side, "bottom"] : [side]));
  label.push(uuidNode(writer));
  if (scope !== "global") return label;
  const name = writer.dialect === 6 ? "Intersheet References" : "Intersheetrefs";
  const references: NewField = { name, text: `\${INTERSHEET_REFS}`, at, hidden: true, justify: [side] };
  return [...label, newField(writer, references, 0)];
}

/** What a new symbol is called where its sheet is used. */
export interface NewInstance {
  readonly project: string;
  readonly path: string;
  readonly reference: string;
}

export interface NewSymbol {
  readonly libId: string;
  readonly at: Point;
  readonly angle?: number;
  readonly mirror?: Mirror;
  readonly unit?: number;
  readonly fields: readonly NewField[];
  readonly pinNumbers: readonly string[];
  readonly instances: readonly NewInstance[];
  readonly inBom?: boolean;
  readonly onBoard?: boolean;
}

const yesOrNo = (value: boolean): string => (value ? "yes" : "no");

export function newSymbol(writer: Writer, symbol: NewSymbol): NewNode {
  const { dialect } = writer;
  const { libId, at, angle = 0, mirror, unit = 1, inBom = true, onBoard = true } = symbol;
  const node: NewNode[] = ["symbol", ["lib_id", quoted(libId)], ["at", at.x, at.y, angle]];
  if (mirror !== undefined) node.push(["mirror", mirror]);
  node.push(["unit", unit]);
  if (dialect >= 8) node.push(["exclude_from_sim", "no"]);
  node.push(["in_bom", yesOrNo(inBom)], ["on_board", yesOrNo(onBoard)]);
  if (dialect >= 7) node.push(["dnp", "no"]);
  node.push(uuidNode(writer), ...symbol.fields.map((field, id) => newField(writer, field, id)));
  for (const number of symbol.pinNumbers) node.push(["pin", quoted(number), uuidNode(writer)]);
  if (dialect >= 7 && symbol.instances.length > 0) node.push(instancesNode(symbol.instances, unit));
  return node;
}

/** KiCad 6 has no such list: it keeps the references of all symbols in the root file. */
function instancesNode(instances: readonly NewInstance[], unit: number): NewNode {
  const projects = new Map<string, NewNode[]>();
  for (const { project, path, reference } of instances) {
    const paths = projects.get(project) ?? [];
    projects.set(project, paths);
    paths.push(["path", quoted(path), ["reference", quoted(reference)], ["unit", unit]]);
  }
  return ["instances", ...[...projects].map(([project, paths]): NewNode => ["project", quoted(project), ...paths])];
}

export interface NewSheetPin {
  readonly name: string;
  readonly shape?: string;
  readonly at: Point;
  /** 0: on the right edge; 180: on the left edge. */
  readonly angle: number;
}

export interface NewSheet {
  readonly name: string;
  readonly file: string;
  readonly at: Point;
  readonly size: Point;
  readonly pins: readonly NewSheetPin[];
  /** Where the sheet that it is put on is used; since KiCad 7. */
  readonly pages: readonly { readonly project: string; readonly path: string; readonly page: string }[];
}

export const newSheetPin = (writer: Writer, { name, shape = "input", at, angle }: NewSheetPin): NewNode => [
  "pin",
  quoted(name),
  shape,
  ["at", at.x, at.y, angle],
  effectsNode(writer, [angle === 180 || angle === 270 ? "left" : "right"]),
  uuidNode(writer),
];

export function newSheet(writer: Writer, sheet: NewSheet): NewNode {
  const { at, size, name, file, pins, pages } = sheet;
  const old = writer.dialect === 6;
  const fields: NewField[] = [
    {
      name: old ? "Sheet name" : "Sheetname",
      text: name,
      at: { x: at.x, y: at.y - 0.7116 },
      justify: ["left", "bottom"],
    },
    {
      name: old ? "Sheet file" : "Sheetfile",
      text: file,
      at: { x: at.x, y: at.y + size.y + 0.5846 },
      justify: ["left", "top"],
    },
  ];
  const node: NewNode[] = ["sheet", ["at", at.x, at.y], ["size", size.x, size.y]];
  if (writer.dialect >= 8) {
    node.push(["exclude_from_sim", "no"], ["in_bom", "yes"], ["on_board", "yes"], ["dnp", "no"]);
  }
  node.push(["fields_autoplaced"], strokeNode(writer), ["fill", ["color", 0, 0, 0, 0]], uuidNode(writer));
  node.push(...fields.map((field, id) => newField(writer, field, id)), ...pins.map((pin) => newSheetPin(writer, pin)));
  if (!old && pages.length > 0) node.push(pagesNode(pages));
  return node;
}

function pagesNode(pages: NewSheet["pages"]): NewNode {
  const projects = pages.map(
    ({ project, path, page }): NewNode => ["project", quoted(project), ["path", quoted(path), ["page", quoted(page)]]],
  );
  return ["instances", ...projects];
}
