import { type Design, itemsOf, type SheetInstance } from "../schematic/index.ts";
import { type Finding, finding } from "./findings.ts";

/** Sheets: each can be opened, has a name of its own, and fits the labels inside. */
export function checkSheets(design: Design): Finding[] {
  return [
    ...design.faults.map(({ sheet, parent, reason }) =>
      finding("missing_sheet", `Sheet ${sheet.name} cannot be opened. ${reason}.`, {
        sheet: parent,
        at: sheet.at,
        items: [sheet],
      }),
    ),
    ...design.sheets.flatMap(checkNames),
    ...design.sheets.flatMap(checkPins),
    ...checkAliases(design),
  ];
}

function checkNames(sheet: SheetInstance): Finding[] {
  const names = new Set<string>();
  return itemsOf(sheet.schematic, "sheet").flatMap((item) => {
    const name = item.name.toLowerCase();
    if (!names.has(name)) {
      names.add(name);
      return [];
    }
    return [
      finding("duplicate_sheet_names", `Two sheets are called ${item.name}.`, { sheet, at: item.at, items: [item] }),
    ];
  });
}

function checkPins(inside: SheetInstance): Finding[] {
  const { sheet: item, parent } = inside;
  if (item === undefined || parent === undefined) return [];
  const labels = itemsOf(inside.schematic, "label").filter(({ scope }) => scope === "hierarchical");
  const [names, pins] = [new Set(labels.map(({ text }) => text)), new Set(item.pins.map(({ name }) => name))];
  return [
    ...item.pins
      .filter(({ name }) => !names.has(name))
      .map((pin) => {
        const message = `Sheet pin ${pin.name} has no hierarchical label in ${item.name}.`;
        return finding("hier_label_mismatch", message, { sheet: parent, at: pin.at, items: [item] });
      }),
    ...labels
      .filter(({ text }) => !pins.has(text))
      .map((label) => {
        const message = `Hierarchical label ${label.text} has no pin on the sheet ${item.name}.`;
        return finding("hier_label_mismatch", message, { sheet: inside, at: label.at, items: [label] });
      }),
  ];
}

function checkAliases(design: Design): Finding[] {
  const known = new Map<string, string>();
  return design.sheets.flatMap((sheet) =>
    [...sheet.schematic.busAliases].flatMap(([name, members]) => {
      const spelled = [...members].sort().join(" ");
      const before = known.get(name);
      known.set(name, before ?? spelled);
      if (before === undefined || before === spelled) return [];
      const message = `The bus alias ${name} has other members on another sheet.`;
      return [finding("bus_definition_conflict", message, { sheet, at: { x: 0, y: 0 }, items: [] })];
    }),
  );
}
