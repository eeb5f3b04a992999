import { referenceOf, type SheetInstance } from "../schematic/design.ts";
import type { Item, PlacedSymbol } from "../schematic/items.ts";
import { joined } from "./boxes.ts";
import type { Drawn } from "./drawn.ts";
import { drawFrame } from "./frame.ts";
import { drawItem } from "./items.ts";
import type { Box } from "./primitives.ts";
import { drawSymbol } from "./symbol.ts";

/** A sheet as it is drawn: the frame of the paper, then the items from the ground up. */
export type DrawnSheet = {
  items: Drawn[];
  box: Box;
  itemOf: ReadonlyMap<string, Item>;
  /** What each item was drawn from. */
  sources: ReadonlyMap<string, string>;
};

/** What is drawn first is covered by what comes later. */
const ORDER: readonly Item["kind"][] = [
  ...(["image", "rule_area", "sheet", "shape", "table", "text_box", "symbol", "bus", "wire", "bus_entry"] as const),
  ...(["junction", "no_connect", "text", "label"] as const),
];

/** The id of an item while its file is open: its uuid, or its kind and place where a file gives it none. */
export const idOf = (item: Item): string => (item.uuid === "" ? `${item.kind} ${item.node.start}` : item.uuid);

/** `${NAME}` stands for a value of the sheet, its title block or the symbol. */
function fillIn(text: string, known: (name: string) => string | undefined): string {
  return text.includes("${") ? text.replace(/\$\{([^{}]*)\}/g, (whole, name: string) => known(name) ?? whole) : text;
}

function sheetValues({ schematic, page, name, file, sheet }: SheetInstance, pages: number) {
  const { titleBlock } = schematic;
  const values = new Map<string, string>([
    ...([
      ["TITLE", titleBlock.title],
      ["ISSUE_DATE", titleBlock.date],
      ["REVISION", titleBlock.revision],
    ] as const),
    ...([
      ["COMPANY", titleBlock.company],
      ["#", page],
      ["##", String(pages)],
      ["SHEETPATH", name],
    ] as const),
    ...([
      ["SHEETNAME", sheet?.name ?? "Root"],
      ["FILENAME", file.split("/").at(-1) ?? file],
    ] as const),
    ...[...titleBlock.comments].map(([number, comment]) => [`COMMENT${number}`, comment] as const),
  ]);
  return (key: string) => values.get(key.toUpperCase());
}

function symbolValues(symbol: PlacedSymbol, reference: string) {
  return (key: string) =>
    key.toUpperCase() === "REFERENCE"
      ? reference
      : symbol.fields.find(({ name }) => name.toUpperCase() === key.toUpperCase())?.text;
}

/** Units of one symbol are told apart by letters: U1A, U1B. */
function shownReference(symbol: PlacedSymbol, instance: SheetInstance): string {
  const reference = referenceOf(symbol, instance);
  const hasUnits = (symbol.library?.unitCount ?? 1) > 1;
  return hasUnits ? `${reference}${String.fromCharCode(64 + Math.min(Math.max(symbol.unit, 1), 26))}` : reference;
}

/**
 * Draws one use of a sheet; `pages` is how many there are. Items that are as they were `before` are the same objects, so that
 * nobody paints them again.
 */
export function drawSheet(instance: SheetInstance, pages: number, before?: DrawnSheet): DrawnSheet {
  const { schematic, file, page } = instance;
  const { paper, titleBlock } = schematic;
  const ofSheet = sheetValues(instance, pages);
  const say = (text: string) => fillIn(text, ofSheet);
  const frame = drawFrame(
    { width: paper.widthMm, height: paper.heightMm },
    {
      ...{ title: say(titleBlock.title), date: say(titleBlock.date), rev: say(titleBlock.revision) },
      ...{ company: say(titleBlock.company), comments: [...titleBlock.comments.values()].map(say) },
      ...{ sheet: instance.name, file: file.split("/").at(-1) ?? file, page: `${page} / ${pages}` },
    },
  );
  const itemOf = new Map<string, Item>();
  const sources = new Map<string, string>();
  const known = new Map(before?.items.map((each) => [each.id, each]));
  const items: Drawn[] = [frame];
  const keep = (id: string, source: string, draw: () => Drawn) => {
    sources.set(id, source);
    // What stands for a value of the sheet may say something else now.
    const isSame = before?.sources.get(id) === source && !source.includes("${");
    const old = isSame ? known.get(id) : undefined;
    items.push(old ?? draw());
  };
  for (const item of inOrder(schematic.items)) {
    const own = idOf(item);
    // A file that gives two items one uuid still shows both.
    const id = itemOf.has(own) ? `${own} ${item.node.start}` : own;
    itemOf.set(id, item);
    const source = schematic.text.slice(item.node.start, item.node.end);
    if (item.kind !== "symbol") keep(id, source, () => drawItem(item, id, say));
    else {
      const reference = shownReference(item, instance);
      const ofSymbol = symbolValues(item, reference);
      const wording = (text: string) => fillIn(text, (key) => ofSymbol(key) ?? ofSheet(key));
      const definition = item.library?.node;
      const looks = definition ? schematic.text.slice(definition.start, definition.end) : "";
      keep(id, `${reference}\n${source}\n${looks}`, () => drawSymbol(item, id, reference, wording));
    }
  }
  return { items, itemOf, sources, box: joined([frame.box, ...items.map(({ box }) => box)]) };
}

function inOrder(items: readonly Item[]): Item[] {
  const rank = new Map(ORDER.map((kind, place) => [kind, place]));
  return items.toSorted((a, b) => (rank.get(a.kind) ?? 0) - (rank.get(b.kind) ?? 0));
}
