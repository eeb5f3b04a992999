import { idOf } from "@backplane/kicad/drawing";
import type { Conflict } from "@backplane/kicad/merge";
import { type Item, readDesign, referenceOf, type SheetInstance } from "@backplane/kicad/schematic";
import type { Compared } from "../design-files.ts";
import { kindWords, nameOfItem, placeWords } from "../words.ts";

/** One thing to decide, in words. */
export type ConflictRow = {
  what: string;
  before: string;
  mine: string;
  theirs: string;
  /** Of the item; undefined when it is not one that is drawn. */
  id: string | undefined;
};

/** A version of the file, read on its own: the sheets in it do not matter here. */
export function versionOf(path: string, text: string): SheetInstance | undefined {
  return readDesign(path, (name) => (name === path ? text : undefined)).sheets[0];
}

type Version = { sheet: SheetInstance | undefined; items: ReadonlyMap<string, Item> };

export function conflictRows(path: string, { base, mine, theirs, comparison }: Compared): ConflictRow[] {
  const [before, own, other] = [base, mine, theirs].map((text): Version => {
    const sheet = versionOf(path, text);
    return { sheet, items: new Map(sheet?.schematic.items.map((item) => [item.uuid, item])) };
  });
  if (!before || !own || !other) return [];
  return comparison.conflicts.map((conflict) => {
    const { uuid = "" } = conflict;
    const item = before.items.get(uuid);
    const value = (version: Version) => valueIn(version, conflict);
    return {
      what: whatOf(item, before.sheet, conflict),
      ...{ before: value(before), mine: value(own), theirs: value(other) },
      id: item && idOf(item),
    };
  });
}

const ASPECTS: Readonly<Record<string, string>> = { place: "place", text: "text", rest: "looks" };
const aspectWords = (aspect: string): string => ASPECTS[aspect] ?? aspect.replace(/^field /, "").toLowerCase();

/** Such as "R8, value". */
function whatOf(item: Item | undefined, sheet: SheetInstance | undefined, { list, aspects }: Conflict): string {
  if (!item || !sheet) return list === "" ? "The whole file" : list.replaceAll("_", " ");
  const name = nameOfItem(item, sheet) || kindWords(item);
  const [only] = aspects;
  return only === undefined || aspects.length > 1 ? name : `${name}, ${aspectWords(only)}`;
}

function valueIn({ sheet, items }: Version, { uuid, aspects }: Conflict): string {
  if (uuid === undefined || !sheet) return "Changed";
  const item = items.get(uuid);
  if (!item) return "Removed";
  const values = aspects.map((aspect) => aspectValue(item, sheet, aspect)).filter((value) => value !== "");
  return values.length === 0 ? "Changed" : values.join(", ");
}

function aspectValue(item: Item, sheet: SheetInstance, aspect: string): string {
  if (aspect === "text") return "text" in item ? item.text : "";
  if (aspect === "field Reference" && item.kind === "symbol") return referenceOf(item, sheet);
  if (aspect.startsWith("field "))
    return ("fields" in item && item.fields.find(({ name }) => `field ${name}` === aspect)?.text) || "Empty";
  if (aspect !== "place") return "";
  if (item.kind === "wire" || item.kind === "bus") return `${placeWords(item.start)} to ${placeWords(item.end)}`;
  return "at" in item ? `${placeWords(item.at)}${item.kind === "symbol" ? `, ${item.angle}°` : ""}` : "";
}
