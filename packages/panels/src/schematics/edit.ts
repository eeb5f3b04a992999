import { randomUUID } from "node:crypto";
import type { SchematicEdit } from "@backplane/contract/panels";
import {
  addSheetPin,
  createSheet,
  pasteInto,
  placeSymbolIn,
  removeSheetPin,
  replaceText,
} from "@backplane/kicad/design-edits";
import {
  addBusEntry,
  addJunction,
  addLabel,
  addNoConnect,
  addText,
  annotate,
  copyItems,
  drawBus,
  drawWire,
  EditFault,
  type FileSplices,
  moveItems,
  removeItems,
  rightAngled,
  setFieldIn,
  setReference,
  turnItems,
} from "@backplane/kicad/edits";
import {
  type Design,
  type Item,
  type LibrarySymbol,
  type Point,
  pinsOf,
  readDesign,
  readSchematic,
  readSymbolLibrary,
  referenceOf,
  resolveSheetFile,
  type Sheet,
  type SheetInstance,
} from "@backplane/kicad/schematic";
import { applySplices, type Splice } from "@backplane/kicad/sexpr";
import type { OpenText } from "./desk.ts";
import { readOrRefuse, refused } from "./refused.ts";

/** A sheet to change, with the files of its design that are known. */
export interface EditedFiles {
  readonly root: string;
  readonly path: string;
  readonly texts: ReadonlyMap<string, string>;
}

/** Edits for which the other sheets of the design must be known. */
const NEEDS_DESIGN: readonly string[] = ["add_sheet", "annotate", "replace_text"] satisfies SchematicEdit["do"][];

export const needsDesign = (edits: readonly SchematicEdit[]): boolean =>
  edits.some((edit) => NEEDS_DESIGN.includes(edit.do));

/** Makes edits one after the other; throws when one of them cannot be made, and then none is. Returns what is new. */
export async function editSheet(
  { root, path, texts: before }: EditedFiles,
  edits: readonly SchematicEdit[],
  open: OpenText,
): Promise<{ texts: ReadonlyMap<string, string>; added: string[]; design: Design }> {
  const texts = new Map(before);
  const found = new Map(before);
  const read = () => readOrRefuse(() => readDesign(root, (name) => texts.get(name)));
  const sheetIn = (design: Design) =>
    design.sheets.find(({ file }) => file === path) ?? refuse(`${path} is not a sheet of ${root}.`);
  const known = new Set(sheetIn(read()).schematic.items.map(({ uuid }) => uuid));
  for (const [at, edit] of edits.entries()) {
    const design = read();
    try {
      for (const [file, text] of await changesOf({ design, sheet: sheetIn(design), open, found }, edit))
        texts.set(file, text);
    } catch (fault) {
      if (fault instanceof EditFault) refuse(`Edit ${at + 1}, ${edit.do}: ${fault.message}`);
      throw fault;
    }
  }
  const design = read();
  const { items } = sheetIn(design).schematic;
  const added = items.flatMap(({ uuid }) => (uuid === "" || known.has(uuid) ? [] : [uuid]));
  const changed = new Map([...texts].filter(([file, text]) => found.get(file) !== text));
  return { texts: changed, added, design };
}

function refuse(detail: string): never {
  throw refused(detail);
}

interface Editing {
  readonly design: Design;
  readonly sheet: SheetInstance;
  readonly open: OpenText;
  /** What the project has, by its files. */
  readonly found: Map<string, string>;
}

/** The texts that one edit gives, by their files. */
async function changesOf(editing: Editing, edit: SchematicEdit): Promise<Map<string, string>> {
  const { design, sheet, open } = editing;
  if (edit.do === "add_sheet") return addSheet(editing, edit);
  const changes =
    edit.do === "add_symbol"
      ? placeFrom(editing, edit, await findSymbol(sheet, edit, open))
      : edit.do === "copy"
        ? await copyFrom(editing, edit)
        : splicesOf(editing, edit);
  return applyTo(design, changes);
}

const textsOf = (design: Design) => new Map(design.sheets.map(({ file, schematic }) => [file, schematic.text]));

function applyTo(design: Design, changes: FileSplices): Map<string, string> {
  const texts = textsOf(design);
  return new Map([...changes].map(([file, splices]) => [file, applySplices(texts.get(file) ?? "", splices)]));
}

async function addSheet(
  { design, sheet, open, found }: Editing,
  edit: Extract<SchematicEdit, { do: "add_sheet" }>,
): Promise<Map<string, string>> {
  const file = resolveSheetFile(sheet.file, edit.file);
  const there = file === undefined ? undefined : (found.get(file) ?? (await open(file)));
  if (file !== undefined && there !== undefined) found.set(file, there);
  const size = { x: edit.widthMm, y: edit.heightMm };
  const box = { name: edit.name, file: edit.file, at: placeOf(edit), size };
  const made = createSheet(design, sheet, box, { newUuid: randomUUID, exists: () => there !== undefined });
  return applyTo(design, made.changes).set(made.file, made.text ?? there ?? "");
}

function placeFrom(
  { design, sheet }: Editing,
  edit: Extract<SchematicEdit, { do: "add_symbol" }>,
  library: LibrarySymbol | undefined,
): FileSplices {
  if (library === undefined)
    return fail(
      `There is no symbol ${edit.libId}. ${edit.package === undefined ? "Name the library's file, or a package." : `The library of ${edit.package} does not have it.`}`,
    );
  const { libId, angle, mirror, unit, value } = edit;
  const prefix = library.fields.find(({ name }) => name === "Reference")?.text ?? "U";
  const placement = {
    ...{ libId, at: placeOf(edit), reference: edit.reference ?? `${prefix}?` },
    ...(angle === undefined ? {} : { angle }),
    ...(mirror === undefined ? {} : { mirror }),
    ...(unit === undefined ? {} : { unit }),
    ...(value === undefined ? {} : { value }),
  };
  return placeSymbolIn(design, sheet, library, placement, randomUUID);
}

/** Items of this sheet, or of another file. */
async function copyFrom(
  { design, sheet, open }: Editing,
  { uuids, from, dxMm, dyMm }: Extract<SchematicEdit, { do: "copy" }>,
): Promise<FileSplices> {
  const text = from === undefined ? sheet.schematic.text : await open(from);
  if (text === undefined) refuse(`The project has no file ${from}.`);
  const source = readOrRefuse(() => readSchematic(text));
  const items = uuids.map(
    (uuid) => source.items.find((item) => item.uuid === uuid) ?? fail(`There is no item ${uuid} to copy.`),
  );
  return pasteInto(design, sheet, copyItems(source, items), { x: dxMm, y: dyMm }, randomUUID);
}

function fail(message: string): never {
  throw new EditFault(message);
}

type OneSheetEdit = Exclude<SchematicEdit, { do: "add_sheet" | "add_symbol" | "copy" }>;

function splicesOf({ design, sheet }: Editing, edit: OneSheetEdit): FileSplices {
  const item = "uuid" in edit ? itemOf(sheet, edit.uuid) : undefined;
  switch (edit.do) {
    case "annotate":
      return annotate(design);
    case "replace_text": {
      const { matchCase = false, wholeWord = false } = edit;
      return replaceText(design, { text: edit.text, matchCase, wholeWord, file: sheet.file }, edit.by).changes;
    }
    case "set_property":
      if (item?.kind !== "symbol" && item?.kind !== "sheet") return fail("Only symbols and sheets have properties.");
      return item.kind === "symbol" && edit.name === "Reference"
        ? setReference(design, sheet, item, edit.value)
        : setFieldIn(design, sheet, item, edit.name, edit.value);
    default:
      return new Map([[sheet.file, drawn(sheet, edit, item)]]);
  }
}

type Drawing = Exclude<OneSheetEdit, { do: "annotate" | "replace_text" | "set_property" }>;

function drawn(sheet: SheetInstance, edit: Drawing, item: Item | undefined): Splice[] {
  const { schematic } = sheet;
  const newUuid = randomUUID;
  switch (edit.do) {
    case "connect":
      return drawWire(schematic, rightAngled(pinAt(sheet, edit.from), pinAt(sheet, edit.to)), newUuid);
    case "add_wire":
      return drawWire(schematic, edit.points.map(placeOf), newUuid);
    case "add_bus":
      return drawBus(schematic, edit.points.map(placeOf), newUuid);
    case "add_bus_entry":
      return addBusEntry(schematic, placeOf(edit), { x: edit.dxMm, y: edit.dyMm }, newUuid);
    case "add_label": {
      const { scope, text, angle = 0 } = edit;
      return addLabel(schematic, { scope, text, at: placeOf(edit), angle }, newUuid);
    }
    case "add_no_connect":
      return addNoConnect(schematic, placeOf(edit), newUuid);
    case "add_junction":
      return addJunction(schematic, placeOf(edit), newUuid);
    case "add_text":
      return addText(schematic, edit.text, placeOf(edit), newUuid);
    case "add_sheet_pin": {
      const { name, shape = "input" } = edit;
      return addSheetPin(schematic, sheetItem(item), { name, shape, at: placeOf(edit) }, newUuid);
    }
    case "remove_sheet_pin":
      return removeSheetPin(schematic, sheetItem(item), edit.name);
    case "move": {
      const delta = { x: edit.dxMm, y: edit.dyMm };
      return moveItems(schematic, chosen(item), delta, { wires: edit.wires ?? "follow", newUuid });
    }
    case "turn":
      return turnItems(schematic, chosen(item), item && "at" in item ? item.at : { x: 0, y: 0 }, edit.turn);
    case "remove":
      return removeItems(schematic, chosen(item));
  }
}

const chosen = (item: Item | undefined): Item[] => (item === undefined ? [] : [item]);
const sheetItem = (item: Item | undefined): Sheet => (item?.kind === "sheet" ? item : fail("This is not a sheet."));

const placeOf = ({ xMm, yMm }: { xMm: number; yMm: number }): Point => ({ x: xMm, y: yMm });

const itemOf = ({ schematic }: SheetInstance, uuid: string): Item =>
  schematic.items.find((item) => item.uuid === uuid) ?? fail(`There is no item ${uuid} on this sheet.`);

/** `R1.2`: the reference, a dot, the number. */
function pinAt(sheet: SheetInstance, name: string): Point {
  const dot = name.lastIndexOf(".");
  for (const item of sheet.schematic.items) {
    if (item.kind !== "symbol" || referenceOf(item, sheet) !== name.slice(0, dot)) continue;
    const pin = pinsOf(item, sheet).find(({ number }) => number === name.slice(dot + 1));
    if (pin !== undefined) return pin.at;
  }
  return fail(`There is no pin ${name} on this sheet.`);
}

/** From the sheet itself, or from a library of the project or of a package. */
async function findSymbol(
  { schematic }: SheetInstance,
  { libId, library, package: identifier }: Extract<SchematicEdit, { do: "add_symbol" }>,
  open: OpenText,
): Promise<LibrarySymbol | undefined> {
  if (library !== undefined && identifier !== undefined) fail("Name a file of the project or a package, not both.");
  const known = schematic.definitions.get(libId);
  if (known !== undefined) return known;
  const [name = "", symbol = ""] = [libId.slice(0, libId.indexOf(":")), libId.slice(libId.indexOf(":") + 1)];
  const wanted = identifier === undefined ? library : { package: identifier, library: name };
  if (wanted === undefined) return undefined;
  const text = await open(wanted);
  if (text === undefined) refuse(`The project has no file ${library}.`);
  return readOrRefuse(() => readSymbolLibrary(text)).get(symbol);
}
