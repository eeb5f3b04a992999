import { EditFault, type FileSplices, setFieldIn, setReference } from "../edits/index.ts";
import { writerFor } from "../edits/text.ts";
import { type Design, type Field, type Item, referenceOf, type SheetInstance } from "../schematic/index.ts";
import { type Atom, atomAt, children, type List, quote } from "../sexpr/index.ts";
import { addChanges } from "./changes.ts";

export interface TextQuery {
  readonly text: string;
  readonly matchCase?: boolean;
  readonly wholeWord?: boolean;
  /** Only texts of these kinds. */
  readonly kinds?: readonly FoundText["kind"][];
  /** Only texts of this file. */
  readonly file?: string;
}

export interface FoundText {
  readonly kind: "reference" | "field" | "label" | "text" | "sheet pin";
  readonly sheet: SheetInstance;
  readonly item: Item;
  /** The name of the field; empty for the others. */
  readonly name: string;
  readonly text: string;
}

interface FoundAtom extends FoundText {
  /** Undefined for references, which are written in several places. */
  readonly atom: Atom | undefined;
}

/** Fields that KiCad hides from people, and the file of a sheet, which is not renamed by changing its name here. */
const isHiddenField = ({ name }: Field): boolean =>
  name === "Reference" || name === "Sheetfile" || name === "Sheet file" || name.startsWith("ki_");

/** Texts of a design that contain `query.text`. A sheet that is used twice is listed once, but for its references. */
export const findText = (design: Design, query: TextQuery): FoundText[] =>
  findAtoms(design, query).map(({ atom: _, ...found }) => found);

/** Changes every text that `findText` gives: each place of the query becomes `replacement`. */
export function replaceText(
  design: Design,
  query: TextQuery,
  replacement: string,
): { changes: FileSplices; count: number } {
  const pattern = patternOf(query);
  const changes: FileSplices = new Map();
  let count = 0;
  for (const { atom, kind, sheet, item, name, text } of findAtoms(design, query)) {
    // A function, because a text may have $& in it.
    const next = text.replace(pattern, () => replacement);
    if (next === text) continue;
    if (next.trim() === "" && kind !== "field") throw new EditFault(`${text} would be left without a text.`);
    if (kind === "reference" && item.kind === "symbol") {
      for (const [file, splices] of setReference(design, sheet, item, next)) addChanges(changes, file, splices);
    } else if (kind === "field" && (item.kind === "symbol" || item.kind === "sheet")) {
      for (const [file, splices] of setFieldIn(design, sheet, item, name, next)) addChanges(changes, file, splices);
    } else if (atom !== undefined) {
      writerFor(sheet.schematic, () => "");
      addChanges(changes, sheet.file, [{ start: atom.start, end: atom.end, text: quote(next) }]);
    }
    count++;
  }
  return { changes, count };
}

const WORD = String.raw`[\p{L}\p{N}_]`;

function patternOf({ text, matchCase = false, wholeWord = false }: TextQuery): RegExp {
  if (text === "") throw new EditFault("There is nothing to look for.");
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(wholeWord ? `(?<!${WORD})${escaped}(?!${WORD})` : escaped, matchCase ? "gu" : "giu");
}

function findAtoms(design: Design, query: TextQuery): FoundAtom[] {
  const pattern = patternOf(query);
  const found: FoundAtom[] = [];
  const seen = new Set<string>();
  for (const sheet of design.sheets) {
    if (query.file !== undefined && sheet.file !== query.file) continue;
    const isFirst = !seen.has(sheet.file);
    seen.add(sheet.file);
    for (const item of sheet.schematic.items) {
      for (const one of textsOf(item, sheet)) {
        if (query.kinds !== undefined && !query.kinds.includes(one.kind)) continue;
        if ((isFirst || one.kind === "reference") && one.text.search(pattern) !== -1) found.push(one);
      }
    }
  }
  return found;
}

function textsOf(item: Item, sheet: SheetInstance): FoundAtom[] {
  const one = (kind: FoundText["kind"], text: string, list: List | undefined, at = 1, name = ""): FoundAtom => ({
    ...{ kind, sheet, item, name, text, atom: atomAt(list, at) },
  });
  const fields = (all: readonly Field[]) =>
    all.flatMap((field) => (isHiddenField(field) ? [] : [one("field", field.text, field.node, 2, field.name)]));
  switch (item.kind) {
    case "symbol":
      return [one("reference", referenceOf(item, sheet), undefined), ...fields(item.fields)];
    case "sheet": {
      const pins = children(item.node, "pin");
      return [...fields(item.fields), ...item.pins.map((pin, at) => one("sheet pin", pin.name, pins[at]))];
    }
    case "label":
      return item.scope === "directive" ? fields(item.fields) : [one("label", item.text, item.node)];
    case "text":
    case "text_box":
      return [one("text", item.text, item.node)];
    default:
      return [];
  }
}
