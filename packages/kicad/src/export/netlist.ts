import { type Nets, readNets } from "../nets/index.ts";
import { type Design, fieldText } from "../schematic/index.ts";
import { type Layout, type NewNode, quoted, writeNode } from "../sexpr/index.ts";
import { type Component, compareReferences, componentsOf } from "./components.ts";

const LAYOUT: Layout = { step: "  ", newline: "\n", tall: true };

/** A netlist as KiCad's board editor and other programs import it (`.net`). It has no date: the same design gives the same bytes. */
export function writeNetlist(design: Design, nets: Nets = readNets(design)): string {
  const components = componentsOf(design).filter(({ onBoard }) => onBoard);
  const root: NewNode = [
    "export",
    ["version", quoted("E")],
    ["design", ["source", quoted(design.sheets[0]?.file ?? "")], ["tool", quoted("Backplane")]],
    ["components", ...components.map(componentNode)],
    ["nets", ...netNodes(nets, new Set(components.map(({ reference }) => reference)))],
  ];
  return `${writeNode(root, LAYOUT, 0)}\n`;
}

function componentNode({ reference, value, footprint, symbol, sheet }: Component): NewNode {
  const colon = symbol.libId.indexOf(":");
  const standard = new Set(["Reference", "Value", "Footprint", "Datasheet"]);
  const others = symbol.fields.filter(({ name }) => !standard.has(name));
  return [
    "comp",
    ["ref", quoted(reference)],
    ["value", quoted(value)],
    ...(footprint === "" ? [] : [["footprint", quoted(footprint)]]),
    ["datasheet", quoted(fieldText(symbol.fields, "Datasheet") ?? "")],
    ...(others.length === 0
      ? []
      : [["fields", ...others.map(({ name, text }): NewNode => ["field", ["name", quoted(name)], quoted(text)])]]),
    [
      "libsource",
      ["lib", quoted(symbol.libId.slice(0, Math.max(0, colon)))],
      ["part", quoted(symbol.libId.slice(colon + 1))],
    ],
    [
      "sheetpath",
      ["names", quoted(sheet.name)],
      ["tstamps", quoted(sheet.shortPath === "/" ? "/" : `${sheet.shortPath}/`)],
    ],
    ["tstamps", quoted(symbol.uuid)],
  ];
}

function netNodes({ nets }: Nets, parts: ReadonlySet<string>): NewNode[] {
  let code = 0;
  return nets.flatMap((net): NewNode[] => {
    const nodes = new Map<string, NewNode>();
    const pins = net.pins.filter(({ reference }) => parts.has(reference));
    for (const { reference, pin } of pins.sort((a, b) => compareReferences(a.reference, b.reference))) {
      const named = pin.name === "" || pin.name === "~" ? [] : [["pinfunction", quoted(pin.name)]];
      const node = [
        "node",
        ["ref", quoted(reference)],
        ["pin", quoted(pin.number)],
        ...named,
        ["pintype", quoted(pin.type)],
      ];
      nodes.set(JSON.stringify([reference, pin.number]), node);
    }
    if (nodes.size === 0) return [];
    code++;
    return [["net", ["code", quoted(String(code))], ["name", quoted(net.name)], ...nodes.values()]];
  });
}
