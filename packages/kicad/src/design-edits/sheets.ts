import { addSheet, EditFault, type FileSplices } from "../edits/index.ts";
import { type NewSheet, type NewSheetPin, newSheetPin } from "../edits/new-items.ts";
import { appendTo, removeList, writerFor } from "../edits/text.ts";
import {
  type Design,
  itemsOf,
  type Point,
  resolveSheetFile,
  round,
  type Schematic,
  type Sheet,
  type SheetInstance,
} from "../schematic/index.ts";
import { children, layoutOf, type NewNode, quoted, type Splice, textOf, writeNode } from "../sexpr/index.ts";
import { addChanges, appendToRoot, usesOf } from "./changes.ts";

/** A sheet that is smaller cannot be grabbed. */
const SMALLEST_MM = 2.54;

export type SheetBox = Pick<NewSheet, "name" | "file" | "at" | "size">;

export interface CreatedSheet {
  readonly changes: FileSplices;
  /** The file of the new sheet, from the project's folder. */
  readonly file: string;
  /** Its text, where the project does not have that file yet. */
  readonly text: string | undefined;
}

/**
 * A sheet on another one, with a file of its own. A file that `exists` is used as it is: it may be used in several places,
 * but not inside itself.
 */
export function createSheet(
  design: Design,
  parent: SheetInstance,
  box: SheetBox,
  { newUuid, exists }: { newUuid: () => string; exists: (file: string) => boolean },
): CreatedSheet {
  const file = checkedFile(parent, box);
  const uuid = newUuid();
  const uuids = [uuid];
  const pages = pagesFor(design, parent);
  const sheet: NewSheet = {
    ...{ ...box, pins: [] },
    pages: pages.map(({ use, page }) => ({ project: design.project, path: use.path, page })),
  };
  const changes: FileSplices = new Map();
  addChanges(
    changes,
    parent.file,
    addSheet(parent.schematic, sheet, () => uuids.pop() ?? newUuid()),
  );
  const kept = pages.map(({ use, page }): NewNode => {
    const above = use.shortPath === "/" ? "" : use.shortPath;
    return ["path", quoted(`${above}/${uuid}`), ["page", quoted(page)]];
  });
  const root = design.sheets[0];
  if (root !== undefined) addChanges(changes, root.file, appendToRoot(design, "sheet_instances", kept));
  return { changes, file, text: exists(file) ? undefined : emptySheetLike(parent.schematic, newUuid()) };
}

function checkedFile(parent: SheetInstance, { name, file: written, size }: SheetBox): string {
  if (name.trim() === "") throw new EditFault("A sheet needs a name.");
  if (name.includes("/")) throw new EditFault("The name of a sheet cannot have a slash.");
  if (itemsOf(parent.schematic, "sheet").some((sheet) => sheet.name === name))
    throw new EditFault(`There is a sheet ${name} here already.`);
  if (size.x < SMALLEST_MM || size.y < SMALLEST_MM)
    throw new EditFault(`A sheet is at least ${SMALLEST_MM} mm wide and high.`);
  const file = resolveSheetFile(parent.file, written);
  if (file === undefined) throw new EditFault("The file of a sheet must be inside the project.");
  if (!file.endsWith(".kicad_sch")) throw new EditFault("The file of a sheet ends with .kicad_sch.");
  for (let above: SheetInstance | undefined = parent; above !== undefined; above = above.parent)
    if (above.file === file) throw new EditFault(`${file} would contain itself.`);
  return file;
}

/** A number for each use of the parent, after the highest one of the design. */
function pagesFor(design: Design, parent: SheetInstance): { use: SheetInstance; page: string }[] {
  const taken = design.sheets.map(({ page }) => Number(page)).filter(Number.isInteger);
  const last = Math.max(design.sheets.length, ...taken);
  return usesOf(design, parent).map((use, at) => ({ use, page: String(last + 1 + at) }));
}

/** A file with nothing drawn in it, in the version and layout of another one. */
function emptySheetLike(like: Schematic, uuid: string): string {
  const { text, root, version, paper } = like;
  const { dialect } = writerFor(like, () => "");
  const layout = layoutOf(text, root);
  const tall = dialect >= 8;
  const lists: NewNode[] = [
    ["uuid", tall ? quoted(uuid) : uuid],
    ["paper", quoted(paper.name === "User" ? "A4" : paper.name)],
    ["lib_symbols"],
  ];
  const head = tall
    ? `(kicad_sch${layout.newline}${layout.step}(version ${version})${layout.newline}${layout.step}(generator "backplane")`
    : `(kicad_sch (version ${version}) (generator backplane)`;
  const gap = tall ? layout.newline : layout.newline.repeat(2);
  const written = lists.map((list) => gap + layout.step + writeNode(list, layout, 1));
  const made = textOf(root, "generator_version");
  const maker = tall && made !== undefined ? `${gap}${layout.step}(generator_version "1")` : "";
  return `${head}${maker}${written.join("")}${layout.newline})${layout.newline}`;
}

/** The place on the edge of a sheet that is nearest to `point`, and the angle of a pin there. */
export function edgeOf(sheet: Pick<Sheet, "at" | "size">, point: Point): { at: Point; angle: number } {
  const { at, size } = sheet;
  const [right, bottom] = [at.x + size.x, at.y + size.y];
  const within = (value: number, low: number, high: number) => round(Math.min(Math.max(value, low), high));
  const [x, y] = [within(point.x, at.x, right), within(point.y, at.y, bottom)];
  const sides = [
    { away: Math.abs(x - at.x), at: { x: round(at.x), y }, angle: 180 },
    { away: Math.abs(right - x), at: { x: round(right), y }, angle: 0 },
    { away: Math.abs(y - at.y), at: { x, y: round(at.y) }, angle: 90 },
    { away: Math.abs(bottom - y), at: { x, y: round(bottom) }, angle: 270 },
  ];
  const { at: place, angle } = sides.reduce((best, side) => (side.away < best.away ? side : best));
  return { at: place, angle };
}

/** A pin on the edge of a sheet, as near to `at` as it can be. The sheet's file has a hierarchical label of the same name. */
export function addSheetPin(
  schematic: Schematic,
  sheet: Sheet,
  pin: Pick<NewSheetPin, "name" | "shape" | "at">,
  newUuid: () => string,
): Splice[] {
  if (pin.name.trim() === "") throw new EditFault("A pin of a sheet needs a name.");
  if (sheet.pins.some(({ name }) => name === pin.name))
    throw new EditFault(`The sheet ${sheet.name} has a pin ${pin.name} already.`);
  const node = newSheetPin(writerFor(schematic, newUuid), { ...pin, ...edgeOf(sheet, pin.at) });
  const last = [...children(sheet.node, "property"), ...children(sheet.node, "pin")].at(-1);
  const splice = appendTo(schematic, sheet.node, node, 1);
  // After the fields and the other pins, before the pages.
  return [last === undefined ? splice : { ...splice, start: last.end, end: last.end }];
}

export function removeSheetPin(schematic: Schematic, sheet: Sheet, name: string): Splice[] {
  writerFor(schematic, () => "");
  const at = sheet.pins.findIndex((pin) => pin.name === name);
  const node = children(sheet.node, "pin")[at];
  if (node === undefined) throw new EditFault(`The sheet ${sheet.name} has no pin ${name}.`);
  return [removeList(schematic.text, node)];
}

/** The hierarchical labels of a sheet's file for which the sheet has no pin yet, from A to Z. */
export function labelsWithoutPin(sheet: Sheet, inside: Schematic): { name: string; shape: string }[] {
  const pins = new Set(sheet.pins.map(({ name }) => name));
  const labels = new Map<string, string>();
  for (const label of itemsOf(inside, "label")) {
    if (label.scope === "hierarchical" && !pins.has(label.text)) labels.set(label.text, label.shape ?? "input");
  }
  return [...labels].map(([name, shape]) => ({ name, shape })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
