import { idOf } from "@backplane/kicad/drawing";
import type { Item, SheetInstance } from "@backplane/kicad/schematic";
import type { Session } from "./session.ts";
import { nameOfItem, searchText } from "./words.ts";

type Found = { sheet: SheetInstance; item: Item; id: string };
/** Of that name, and of the others. */
const MAX_FOUND = 2_000;
/** Wires and dots have no words of their own; they are found by selecting what they connect. */
const NAMELESS: readonly Item["kind"][] = ["wire", "bus", "bus_entry", "junction", "shape", "rule_area"];

/** Items with all the typed words, on every sheet, those of that name first; without words those of the sheet that is shown. */
export function findItems(session: Pick<Session, "state">, typed: string): Found[] {
  const { design, sheet: shown, drawn } = session.state();
  const name = typed.trim().toLowerCase();
  const words = name.split(/\s+/).filter((word) => word !== "");
  if (!design || !shown || !drawn) return [];
  if (words.length === 0)
    return [...drawn.itemOf]
      .filter(([, item]) => !NAMELESS.includes(item.kind))
      .map(([id, item]) => ({ sheet: shown, item, id }));
  const [named, found]: [Found[], Found[]] = [[], []];
  for (const sheet of design.sheets)
    for (const item of sheet.schematic.items) {
      if (NAMELESS.includes(item.kind)) continue;
      const text = searchText(item, sheet);
      if (!words.every((word) => text.includes(word))) continue;
      const rows = nameOfItem(item, sheet).toLowerCase() === name ? named : found;
      if (rows.length < MAX_FOUND) rows.push({ sheet, item, id: idOf(item) });
    }
  return [...named, ...found];
}
