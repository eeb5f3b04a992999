import { randomUUID } from "node:crypto";
import type { SchematicEdit } from "@backplane/contract/panels";
import {
  addLabel,
  addNoConnect,
  drawWire,
  EditFault,
  moveItems,
  placeSymbol,
  removeItems,
  rightAngled,
  setField,
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
  readSymbolLibrary,
  referenceOf,
} from "@backplane/kicad/schematic";
import { applySplices, type Splice } from "@backplane/kicad/sexpr";
import type { OpenText } from "./desk.ts";
import { readOrRefuse, refused } from "./refused.ts";

/** Makes edits one after the other on one sheet; throws when one of them cannot be made, and then none is. */
export async function editSheet(
  path: string,
  text: string,
  edits: readonly SchematicEdit[],
  openLibrary: OpenText,
): Promise<{ text: string; added: string[] }> {
  const read = (now: string) => readOrRefuse(() => readDesign(path, (name) => (name === path ? now : undefined)));
  let design = read(text);
  const before = new Set(itemsIn(design).map(({ uuid }) => uuid));
  let now = text;
  for (const [at, edit] of edits.entries()) {
    const library = edit.do === "add_symbol" ? await findSymbol(design, edit, openLibrary) : undefined;
    try {
      now = applySplices(now, splicesOf(design, edit, library));
    } catch (fault) {
      if (fault instanceof EditFault) throw refused(`Edit ${at + 1}, ${edit.do}: ${fault.message}`);
      throw fault;
    }
    design = read(now);
  }
  const added = itemsIn(design).flatMap(({ uuid }) => (uuid === "" || before.has(uuid) ? [] : [uuid]));
  return { text: now, added };
}

const sheetOf = (design: Design) => design.sheets[0] ?? fail("The design has no sheet.");
const itemsIn = (design: Design): readonly Item[] => sheetOf(design).schematic.items;

function fail(message: string): never {
  throw new EditFault(message);
}

function splicesOf(design: Design, edit: SchematicEdit, library: LibrarySymbol | undefined): readonly Splice[] {
  const sheet = sheetOf(design);
  const { schematic } = sheet;
  const newUuid = randomUUID;
  switch (edit.do) {
    case "add_symbol": {
      if (library === undefined) return fail(`There is no symbol ${edit.libId}. Name the library's file.`);
      const { libId, angle, mirror, unit, value } = edit;
      const prefix = library.fields.find(({ name }) => name === "Reference")?.text ?? "U";
      const placement = {
        ...{ libId, at: placeOf(edit), reference: edit.reference ?? `${prefix}?` },
        ...(angle === undefined ? {} : { angle }),
        ...(mirror === undefined ? {} : { mirror }),
        ...(unit === undefined ? {} : { unit }),
        ...(value === undefined ? {} : { value }),
        uses: [{ project: design.project, path: sheet.path }],
      };
      return placeSymbol(schematic, library, placement, newUuid);
    }
    case "connect":
      return drawWire(schematic, rightAngled(pinAt(design, edit.from), pinAt(design, edit.to)), newUuid);
    case "add_wire":
      return drawWire(schematic, edit.points.map(placeOf), newUuid);
    case "add_label": {
      const { scope, text, angle } = edit;
      return addLabel(
        schematic,
        { scope, text, at: placeOf(edit), ...(angle === undefined ? {} : { angle }) },
        newUuid,
      );
    }
    case "add_no_connect":
      return addNoConnect(schematic, placeOf(edit), newUuid);
    case "move": {
      const delta = { x: edit.dxMm, y: edit.dyMm };
      return moveItems(schematic, [itemOf(design, edit.uuid)], delta, { wires: edit.wires ?? "follow", newUuid });
    }
    case "turn": {
      const item = itemOf(design, edit.uuid);
      return turnItems(schematic, [item], "at" in item ? item.at : { x: 0, y: 0 }, edit.turn);
    }
    case "set_property": {
      const item = itemOf(design, edit.uuid);
      if (item.kind !== "symbol" && item.kind !== "sheet") return fail("Only symbols and sheets have properties.");
      if (item.kind === "symbol" && edit.name === "Reference") {
        return setReference(design, sheet, item, edit.value).get(sheet.file) ?? [];
      }
      return setField(schematic, item, edit.name, edit.value);
    }
    case "remove":
      return removeItems(schematic, [itemOf(design, edit.uuid)]);
  }
}

const placeOf = ({ xMm, yMm }: { xMm: number; yMm: number }): Point => ({ x: xMm, y: yMm });

const itemOf = (design: Design, uuid: string): Item =>
  itemsIn(design).find((item) => item.uuid === uuid) ?? fail(`There is no item ${uuid} on this sheet.`);

/** `R1.2`: the reference, a dot, the number. */
function pinAt(design: Design, name: string): Point {
  const sheet = sheetOf(design);
  const dot = name.lastIndexOf(".");
  for (const item of itemsIn(design)) {
    if (item.kind !== "symbol" || referenceOf(item, sheet) !== name.slice(0, dot)) continue;
    const pin = pinsOf(item, sheet).find(({ number }) => number === name.slice(dot + 1));
    if (pin !== undefined) return pin.at;
  }
  return fail(`There is no pin ${name} on this sheet.`);
}

/** From the sheet itself, or from a library of the project. */
async function findSymbol(
  design: Design,
  { libId, library }: Extract<SchematicEdit, { do: "add_symbol" }>,
  openLibrary: OpenText,
): Promise<LibrarySymbol | undefined> {
  const known = sheetOf(design).schematic.definitions.get(libId);
  if (known !== undefined || library === undefined) return known;
  const text = await openLibrary(library);
  if (text === undefined) throw refused(`The project has no file ${library}.`);
  return readOrRefuse(() => readSymbolLibrary(text)).get(libId.slice(libId.indexOf(":") + 1));
}
