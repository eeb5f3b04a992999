import { type Item, referenceOf, type SheetInstance, valueShown } from "@backplane/kicad/schematic";

const KINDS: Readonly<Record<Item["kind"], string>> = {
  ...{ symbol: "Symbol", wire: "Wire", bus: "Bus", bus_entry: "Bus entry", junction: "Junction" },
  ...{ no_connect: "No connection", label: "Label", sheet: "Sheet", text: "Text", text_box: "Text box" },
  ...{ shape: "Drawing", image: "Picture", rule_area: "Rule area", table: "Table" },
};

const SCOPES = {
  local: "Label",
  global: "Global label",
  hierarchical: "Hierarchical label",
  directive: "Net class flag",
};

export const kindWords = (item: Item): string => (item.kind === "label" ? SCOPES[item.scope] : KINDS[item.kind]);

const firstLine = (text: string): string => text.split("\n")[0] ?? "";

/** What people call an item: R1, a label by its text. Empty for those that have no name. */
export function nameOfItem(item: Item, sheet: SheetInstance): string {
  if (item.kind === "symbol") return referenceOf(item, sheet);
  if (item.kind === "sheet") return item.name;
  if (item.kind === "label" || item.kind === "text" || item.kind === "text_box") return firstLine(item.text);
  return "";
}

/** An item in one line, such as "R1, 330" or "Label, LED_A". */
export function itemWords(item: Item, sheet: SheetInstance): string {
  const name = nameOfItem(item, sheet);
  if (item.kind === "symbol") return [name, valueShown(item)].filter((part) => part !== "").join(", ");
  return name === "" ? kindWords(item) : `${kindWords(item)}, ${name}`;
}

/** Everything of an item that somebody could look for. */
export function searchText(item: Item, sheet: SheetInstance): string {
  const fields = "fields" in item ? item.fields.map(({ text }) => text) : [];
  const own = item.kind === "symbol" ? [item.libId, ...item.pins.map(({ name }) => name)] : [];
  return [itemWords(item, sheet), ...fields, ...own].join("\n").toLowerCase();
}

const mm = (value: number): string => value.toFixed(2);

export const placeWords = ({ x, y }: { x: number; y: number }): string => `${mm(x)}, ${mm(y)} mm`;
