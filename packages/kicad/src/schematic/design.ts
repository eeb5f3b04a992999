import { FileFault } from "../sexpr/index.ts";
import { fieldText } from "./fields.ts";
import type { PlacedPin, PlacedSymbol, Sheet } from "./items.ts";
import { itemsOf, type RootInstance, readSchematic, type Schematic } from "./read.ts";
import { partsOf, placePins, referenceShown } from "./symbols.ts";

/** Sheets of one design, at most, each use counted. KiCad's largest demos have about 50. */
export const MAX_SHEETS = 1000;

/** Items of all sheets, each use counted: a sheet with very many that is used very often would never be read to its end. */
const MAX_ITEMS = 1_000_000;

/** One use of a sheet. A file that is used twice has two instances. */
export interface SheetInstance {
  /** `/` and the uuids from the root sheet down to this one, as KiCad 7 and later write it. */
  readonly path: string;
  /** The same without the root's uuid, as KiCad 6 writes it; the root itself is `/`. */
  readonly shortPath: string;
  /** `/` for the root, else the names of the sheets: `/Power/Regulator/`. */
  readonly name: string;
  /** Relative to the project's folder, with `/`. */
  readonly file: string;
  readonly schematic: Schematic;
  readonly page: string;
  readonly parent: SheetInstance | undefined;
  /** The sheet item in the parent. */
  readonly sheet: Sheet | undefined;
}

/** A sheet that could not be opened. */
export interface SheetFault {
  readonly sheet: Sheet;
  readonly parent: SheetInstance;
  readonly reason: string;
}

export interface Design {
  readonly project: string;
  /** The root first, then each sheet before its children. */
  readonly sheets: readonly SheetInstance[];
  readonly faults: readonly SheetFault[];
}

/** Gives the text of a file of the project, or undefined when there is none. */
export type OpenFile = (file: string) => string | undefined;

/**
 * Reads a schematic with all its sheets. A sheet that is missing, that contains itself or that lies outside of the project's
 * folder becomes a fault of the design; only a fault of the root file is thrown.
 */
export function readDesign(rootFile: string, open: OpenFile): Design {
  const text = open(rootFile);
  if (text === undefined) throw new FileFault(`${rootFile} does not exist`, 1, 1);
  const schematic = readSchematic(text);
  const root: SheetInstance = {
    path: `/${schematic.uuid}`,
    shortPath: "/",
    name: "/",
    file: rootFile,
    schematic,
    page: schematic.pages.get("/") ?? "1",
    parent: undefined,
    sheet: undefined,
  };
  const read = new Map<string, Schematic | string>([[rootFile, schematic]]);
  const sheets: SheetInstance[] = [];
  const faults: SheetFault[] = [];
  const waiting = [root];
  let left = MAX_ITEMS - sizeOf(schematic);
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    sheets.push(parent);
    const below: SheetInstance[] = [];
    for (const sheet of itemsOf(parent.schematic, "sheet")) {
      const found = openSheet(parent, sheet, read, open, sheets.length + waiting.length + below.length);
      const size = typeof found === "string" ? 0 : sizeOf(found.schematic);
      if (typeof found === "string") faults.push({ sheet, parent, reason: found });
      else if (size > left) faults.push({ sheet, parent, reason: `The sheets have more than ${MAX_ITEMS} items` });
      else {
        left -= size;
        below.push(found);
      }
    }
    waiting.push(...below.reverse());
  }
  return { project: (rootFile.split("/").at(-1) ?? "").replace(/\.kicad_sch$/, ""), sheets, faults };
}

const sizes = new WeakMap<Schematic, number>();
/** Items, and pins of symbols. */
function sizeOf(schematic: Schematic): number {
  const known = sizes.get(schematic);
  if (known !== undefined) return known;
  const pins = itemsOf(schematic, "symbol").reduce((sum, { library }) => sum + (library?.pinCount ?? 0), 0);
  sizes.set(schematic, schematic.items.length + pins);
  return schematic.items.length + pins;
}

function openSheet(
  parent: SheetInstance,
  sheet: Sheet,
  read: Map<string, Schematic | string>,
  open: OpenFile,
  count: number,
): SheetInstance | string {
  const file = resolveSheetFile(parent.file, sheet.file);
  if (file === undefined) return `The file name ${JSON.stringify(sheet.file)} leads out of the project`;
  for (let above: SheetInstance | undefined = parent; above !== undefined; above = above.parent) {
    if (above.file === file) return `${file} contains itself`;
  }
  if (count >= MAX_SHEETS) return `The design has more than ${MAX_SHEETS} sheets`;
  const schematic = read.get(file) ?? tryToRead(file, open);
  read.set(file, schematic);
  if (typeof schematic === "string") return schematic;
  const shortPath = `${parent.shortPath === "/" ? "" : parent.shortPath}/${sheet.uuid}`;
  const page = sheet.pages.get(parent.path) ?? rootOf(parent).schematic.pages.get(shortPath) ?? "";
  const path = `${parent.path}/${sheet.uuid}`;
  return { path, shortPath, name: `${parent.name}${sheet.name}/`, file, schematic, page, parent, sheet };
}

function tryToRead(file: string, open: OpenFile): Schematic | string {
  const text = open(file);
  if (text === undefined) return `${file} does not exist`;
  try {
    return readSchematic(text);
  } catch (fault) {
    if (fault instanceof FileFault) return `${file}: ${fault.message}`;
    throw fault;
  }
}

/** The file that a sheet names, relative to the project's folder; undefined when it would be outside of that folder. */
export function resolveSheetFile(parentFile: string, name: string): string | undefined {
  const plain = name.replaceAll("\\", "/");
  if (plain === "" || plain.startsWith("/") || /^[a-z]:/i.test(plain) || plain.includes("\0")) return undefined;
  const parts = parentFile.split("/").slice(0, -1);
  for (const part of plain.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join("/");
}

function rootOf(instance: SheetInstance): SheetInstance {
  let root = instance;
  while (root.parent !== undefined) root = root.parent;
  return root;
}

/** What a symbol is called in one use of its sheet. */
export function referenceOf(symbol: PlacedSymbol, instance: SheetInstance): string {
  return instanceOf(symbol, instance)?.reference ?? referenceShown(symbol);
}

/** The unit of a symbol in one use of its sheet. */
export const unitOf = (symbol: PlacedSymbol, instance: SheetInstance): number =>
  instanceOf(symbol, instance)?.unit ?? symbol.unit;

/** The pins of a symbol in one use of its sheet, where it may be another unit than the sheet itself shows. */
export function pinsOf(symbol: PlacedSymbol, instance: SheetInstance): readonly PlacedPin[] {
  const unit = unitOf(symbol, instance);
  if (unit === symbol.unit) return symbol.pins;
  return placePins(symbol.node, partsOf(symbol.library, unit, symbol.bodyStyle), symbol.transform);
}

/** A field of a symbol in one use of its sheet: KiCad 6 keeps values and footprints per use. */
export function fieldIn(symbol: PlacedSymbol, instance: SheetInstance, name: string): string {
  const kept = rootInstanceOf(symbol, instance);
  const own = name === "Value" ? kept?.value : name === "Footprint" ? kept?.footprint : undefined;
  return own || (fieldText(symbol.fields, name) ?? "");
}

function instanceOf(symbol: PlacedSymbol, instance: SheetInstance): { reference: string; unit: number } | undefined {
  return symbol.instances.find(({ path }) => path === instance.path) ?? rootInstanceOf(symbol, instance);
}

/** What a root file of KiCad 6 says of a symbol in one use of its sheet. */
export function rootInstanceOf(symbol: PlacedSymbol, instance: SheetInstance): RootInstance | undefined {
  const prefix = instance.shortPath === "/" ? "" : instance.shortPath;
  return rootOf(instance).schematic.rootInstances.get(`${prefix}/${symbol.uuid}`);
}
