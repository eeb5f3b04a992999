import type { List } from "../sexpr/index.ts";
import { child, children, faultAt, flag, nameOf, numbersIn, readTree, textAt, textOf } from "../sexpr/index.ts";
import type { Item } from "./items.ts";
import { type LibrarySymbol, readLibrarySymbol } from "./library.ts";
import { readItem } from "./read-item.ts";

export interface TitleBlock {
  readonly title: string;
  readonly date: string;
  readonly revision: string;
  readonly company: string;
  /** By number, from 1. */
  readonly comments: ReadonlyMap<number, string>;
}

export interface Paper {
  readonly name: string;
  readonly widthMm: number;
  readonly heightMm: number;
}

/** What KiCad 6 keeps in the root file about the symbols of all sheets. */
export interface RootInstance {
  readonly reference: string;
  readonly unit: number;
  /** Empty where that of the symbol itself counts; so is the footprint. */
  readonly value: string;
  readonly footprint: string;
  readonly node: List;
}

/** One `.kicad_sch` file, read for its meaning. Everything points into `text`, which stays the truth. */
export interface Schematic {
  readonly text: string;
  readonly root: List;
  readonly version: number;
  readonly generator: string;
  readonly uuid: string;
  readonly paper: Paper;
  readonly titleBlock: TitleBlock;
  /** The definitions that the file carries, by name. */
  readonly definitions: ReadonlyMap<string, LibrarySymbol>;
  /** In the order of the file. */
  readonly items: readonly Item[];
  readonly busAliases: ReadonlyMap<string, readonly string[]>;
  /** Page numbers by path, where the root file keeps them. */
  readonly pages: ReadonlyMap<string, string>;
  /** By path of the symbol; KiCad 6 only. */
  readonly rootInstances: ReadonlyMap<string, RootInstance>;
}

const PAPERS: Readonly<Record<string, readonly [number, number]>> = {
  A5: [210, 148],
  A4: [297, 210],
  A3: [420, 297],
  A2: [594, 420],
  A1: [841, 594],
  A0: [1189, 841],
  A: [279.4, 215.9],
  B: [431.8, 279.4],
  C: [558.8, 431.8],
  D: [863.6, 558.8],
  E: [1117.6, 863.6],
  USLetter: [279.4, 215.9],
  USLegal: [355.6, 215.9],
  USLedger: [431.8, 279.4],
  GERBER: [812.8, 812.8],
};

/**
 * Pins of the definitions of all symbols of a file, at most. Each symbol has those of its definition, so that a small file could
 * have any number. KiCad's largest demos have some thousands.
 */
export const MAX_PINS = 250_000;

/** Throws a FileFault for text that is not a KiCad schematic, or that has far too many pins. */
export function readSchematic(text: string): Schematic {
  const root = readTree(text);
  if (nameOf(root) !== "kicad_sch") throw faultAt(text, root.start, "This is not a KiCad schematic");
  const [version] = numbersIn(child(root, "version"));
  if (version === undefined) throw faultAt(text, root.start, "The schematic does not say its file version");
  const definitions = new Map<string, LibrarySymbol>();
  for (const node of children(child(root, "lib_symbols"), "symbol")) {
    definitions.set(textAt(node, 1) ?? "", readLibrarySymbol(node));
  }
  const items: Item[] = [];
  let pins = 0;
  for (const node of root.items) {
    const item = node.kind === "list" ? readItem(node, definitions) : undefined;
    if (item === undefined) continue;
    if (item.kind === "symbol") pins += item.library?.pinCount ?? 0;
    if (pins > MAX_PINS) throw faultAt(text, item.node.start, `The symbols have more than ${MAX_PINS} pins`);
    items.push(item);
  }
  return {
    text,
    root,
    version,
    generator: textOf(root, "generator") ?? "",
    uuid: textOf(root, "uuid") ?? "",
    paper: readPaper(child(root, "paper")),
    titleBlock: readTitleBlock(child(root, "title_block")),
    definitions,
    items,
    busAliases: readBusAliases(root),
    pages: new Map(
      children(child(root, "sheet_instances"), "path").map((path) => [
        textAt(path, 1) ?? "",
        textOf(path, "page") ?? "",
      ]),
    ),
    rootInstances: readRootInstances(root),
  };
}

/** The items of one kind, in the order of the file. */
export function itemsOf<Kind extends Item["kind"]>(
  schematic: Schematic,
  ...kinds: readonly Kind[]
): Extract<Item, { readonly kind: Kind }>[] {
  const wanted: readonly string[] = kinds;
  return schematic.items.filter((item): item is Extract<Item, { readonly kind: Kind }> => wanted.includes(item.kind));
}

function readPaper(list: List | undefined): Paper {
  const name = textAt(list, 1) ?? "A4";
  const known = Object.hasOwn(PAPERS, name) ? PAPERS[name] : undefined;
  const [width = 297, height = 210] = known ?? numbersIn(list);
  const portrait = known !== undefined && flag(list, "portrait");
  return { name, widthMm: portrait ? height : width, heightMm: portrait ? width : height };
}

function readTitleBlock(list: List | undefined): TitleBlock {
  return {
    title: textOf(list, "title") ?? "",
    date: textOf(list, "date") ?? "",
    revision: textOf(list, "rev") ?? "",
    company: textOf(list, "company") ?? "",
    comments: new Map(children(list, "comment").map((node) => [Number(textAt(node, 1)), textAt(node, 2) ?? ""])),
  };
}

function readBusAliases(root: List): Map<string, readonly string[]> {
  const aliases = new Map<string, readonly string[]>();
  for (const alias of children(root, "bus_alias")) {
    const members = child(alias, "members")?.items.slice(1) ?? [];
    aliases.set(
      textAt(alias, 1) ?? "",
      members.flatMap((member) => (member.kind === "list" ? [] : [member.value])),
    );
  }
  return aliases;
}

function readRootInstances(root: List): Map<string, RootInstance> {
  return new Map(
    children(child(root, "symbol_instances"), "path").map((node) => {
      const [reference = "", value = "", footprint = ""] = ["reference", "value", "footprint"].map((name) =>
        textOf(node, name),
      );
      return [
        textAt(node, 1) ?? "",
        { reference, unit: numbersIn(child(node, "unit"))[0] ?? 1, value, footprint, node },
      ];
    }),
  );
}
