import {
  type Design,
  type PlacedSymbol,
  referenceOf,
  rootInstanceOf,
  type Schematic,
  type Sheet,
  type SheetInstance,
} from "../schematic/index.ts";
import { atomAt, child, type List, quote, type Splice } from "../sexpr/index.ts";
import { newField } from "./new-items.ts";
import { appendTo, EditFault, writerFor } from "./text.ts";

/** Changes of several files, by their names. */
export type FileSplices = Map<string, Splice[]>;

/** Sets a field of a symbol or sheet; one that it does not have is added, hidden. */
export function setField(schematic: Schematic, owner: PlacedSymbol | Sheet, name: string, text: string): Splice[] {
  const writer = writerFor(schematic, () => "");
  if (name.trim() === "") throw new EditFault("A field needs a name.");
  const field = owner.fields.find((one) => one.name === name);
  if (field !== undefined) return replaceAtom(field.node, 2, text);
  const node = newField(writer, { name, text, at: owner.at, hidden: true }, owner.fields.length);
  const last = owner.fields.at(-1)?.node;
  if (last === undefined) return [appendTo(schematic, owner.node, node, 1)];
  // Beside the other fields, where KiCad looks for it.
  const splice = appendTo(schematic, owner.node, node, 1);
  return [{ ...splice, start: last.end, end: last.end }];
}

function replaceAtom(list: List | undefined, index: number, value: string): Splice[] {
  const atom = atomAt(list, index);
  if (atom === undefined || atom.value === value) return [];
  return [{ start: atom.start, end: atom.end, text: quote(value) }];
}

/** Gives a symbol its reference in one use of its sheet. */
export function setReference(
  design: Design,
  sheet: SheetInstance,
  symbol: PlacedSymbol,
  reference: string,
): FileSplices {
  const changes: FileSplices = new Map();
  const add = (file: string, splices: Splice[]) => changes.set(file, [...(changes.get(file) ?? []), ...splices]);
  const shown = symbol.fields.find(({ name }) => name === "Reference");
  const uses = design.sheets.filter(({ file }) => file === sheet.file);
  writerFor(sheet.schematic, () => "");
  // The field itself shows the first use.
  if (shown !== undefined && uses[0]?.path === sheet.path) add(sheet.file, replaceAtom(shown.node, 2, reference));
  const own = symbol.instances.find(({ path }) => path === sheet.path);
  if (own !== undefined) add(sheet.file, replaceAtom(child(own.node, "reference"), 1, reference));
  const root = design.sheets[0];
  const kept = rootInstanceOf(symbol, sheet);
  if (root !== undefined && kept !== undefined)
    add(root.file, replaceAtom(child(kept.node, "reference"), 1, reference));
  return changes;
}

/** What a root file of KiCad 6 keeps besides the symbol's own fields. */
const KEPT_IN_ROOT: Readonly<Record<string, string>> = { Value: "value", Footprint: "footprint" };

/** Sets a field of a symbol or sheet in every use of its sheet. References are set per use: `setReference`. */
export function setFieldIn(
  design: Design,
  sheet: SheetInstance,
  owner: PlacedSymbol | Sheet,
  name: string,
  text: string,
): FileSplices {
  const changes: FileSplices = new Map([[sheet.file, setField(sheet.schematic, owner, name, text)]]);
  const list = Object.hasOwn(KEPT_IN_ROOT, name) ? KEPT_IN_ROOT[name] : undefined;
  const root = design.sheets[0];
  if (owner.kind !== "symbol" || list === undefined || root === undefined) return changes;
  for (const use of design.sheets) {
    if (use.file !== sheet.file) continue;
    const kept = rootInstanceOf(owner, use);
    if (kept === undefined) continue;
    changes.set(root.file, [...(changes.get(root.file) ?? []), ...replaceAtom(child(kept.node, list), 1, text)]);
  }
  return changes;
}

/** References are letters and a number: `R12`; `?` stands for a number that is not given yet. */
function splitReference(reference: string): { prefix: string; number: string } {
  let end = reference.length;
  while (end > 0 && /[0-9?]/.test(reference[end - 1] ?? "")) end--;
  return { prefix: reference.slice(0, end), number: reference.slice(end) };
}

const isOpen = (reference: string): boolean => !/^\d+$/.test(splitReference(reference).number);

/** Numbers every symbol that has none yet, sheet by sheet, from the left and then from the top. Numbers that are given stay. */
export function annotate(design: Design): FileSplices {
  const taken = new Set<string>();
  const open: { sheet: SheetInstance; symbol: PlacedSymbol; prefix: string }[] = [];
  for (const sheet of design.sheets) {
    const symbols = sheet.schematic.items.filter((item) => item.kind === "symbol");
    for (const symbol of [...symbols].sort((a, b) => a.at.x - b.at.x || a.at.y - b.at.y)) {
      const reference = referenceOf(symbol, sheet);
      const { prefix, number } = splitReference(reference);
      // For KiCad #PWR01 and #PWR1 are one reference.
      if (!isOpen(reference)) taken.add(`${prefix}${Number(number)}`);
      else open.push({ sheet, symbol, prefix: prefix || "U" });
    }
  }
  const next = new Map<string, number>();
  const changes: FileSplices = new Map();
  for (const { sheet, symbol, prefix } of open) {
    let number = next.get(prefix) ?? 1;
    while (taken.has(`${prefix}${number}`)) number++;
    next.set(prefix, number + 1);
    const reference = prefix.startsWith("#") ? `${prefix}0${number}` : `${prefix}${number}`;
    for (const [file, splices] of setReference(design, sheet, symbol, reference)) {
      changes.set(file, [...(changes.get(file) ?? []), ...splices]);
    }
  }
  return changes;
}
