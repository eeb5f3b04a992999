import {
  type Design,
  type Label,
  type Line,
  type PlacedSymbol,
  type Point,
  pinsOf,
  referenceOf,
  type SheetInstance,
  type SheetPin,
} from "../schematic/index.ts";
import { type BusAliases, isBusName } from "./bus-names.ts";
import { busPlaceOn, type Connections, connect, placeOn } from "./connect.ts";
import type { BusMemberName, Net, NetPin } from "./net.ts";
import { nameOfNet } from "./net-names.ts";

export interface Nets {
  /** By name. */
  readonly nets: readonly Net[];
  readonly aliases: BusAliases;
  /** The net at a place where something connects; undefined where nothing does. */
  at(sheet: SheetInstance, point: Point): Net | undefined;
  /** The labels of the bus at a place, on that sheet. */
  busLabelsAt(sheet: SheetInstance, point: Point): readonly string[];
}

interface NetBeingRead {
  name: string;
  readonly pins: NetPin[];
  readonly labels: { sheet: SheetInstance; label: Label }[];
  readonly members: BusMemberName[];
  readonly sheetPins: { sheet: SheetInstance; pin: SheetPin }[];
  readonly wires: { sheet: SheetInstance; wire: Line }[];
  readonly classes: string[];
}

export function readNets(design: Design): Nets {
  const connections = connect(design);
  const { groups } = connections;
  const found = new Map<number, NetBeingRead>();
  const netAt = (key: string): NetBeingRead => {
    const group = groups.find(key);
    const net = found.get(group) ?? {
      name: "",
      pins: [],
      labels: [],
      members: [],
      sheetPins: [],
      wires: [],
      classes: [],
    };
    found.set(group, net);
    return net;
  };
  for (const [at, sheet] of design.sheets.entries()) {
    for (const item of sheet.schematic.items) {
      if (item.kind === "symbol") addPins(sheet, item, (point) => netAt(placeOn(at, point)));
      else if (item.kind === "wire") netAt(placeOn(at, item.start)).wires.push({ sheet, wire: item });
      else if (item.kind === "label") addLabel(sheet, item, (point) => netAt(placeOn(at, point)));
      else if (item.kind === "sheet") {
        for (const pin of item.pins)
          if (!isBusName(pin.name)) netAt(placeOn(at, pin.at)).sheetPins.push({ sheet, pin });
      }
    }
  }
  for (const { key, ...member } of connections.members) found.get(groups.find(key))?.members.push(member);
  const nets = [...found.values()];
  for (const net of nets) net.name = nameOfNet(net);
  nets.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const numbers = new Map(design.sheets.map((sheet, at) => [sheet.path, at]));
  let labels: Map<number, string[]> | undefined;
  const busLabels = () => (labels ??= readBusLabels(design, connections));
  return {
    nets,
    aliases: connections.aliases,
    busLabelsAt: (sheet, point) => busLabels().get(groups.find(busPlaceOn(numbers.get(sheet.path) ?? -1, point))) ?? [],
    at: (sheet, point) => found.get(groups.find(placeOn(numbers.get(sheet.path) ?? -1, point))),
  };
}

function readBusLabels(design: Design, { groups }: Connections): Map<number, string[]> {
  const labels = new Map<number, string[]>();
  for (const [at, { schematic }] of design.sheets.entries()) {
    for (const item of schematic.items) {
      if (item.kind !== "label" || !isBusName(item.text)) continue;
      const bus = groups.find(busPlaceOn(at, item.at));
      labels.set(bus, [...(labels.get(bus) ?? []), item.text]);
    }
  }
  return labels;
}

function addPins(sheet: SheetInstance, symbol: PlacedSymbol, netAt: (point: Point) => NetBeingRead): void {
  const reference = referenceOf(symbol, sheet);
  for (const pin of pinsOf(symbol, sheet)) netAt(pin.at).pins.push({ sheet, symbol, pin, reference });
}

function addLabel(sheet: SheetInstance, label: Label, netAt: (point: Point) => NetBeingRead): void {
  if (label.scope === "directive") {
    const netClass = label.fields.find(({ name }) => name === "Netclass" || name === "Net Class")?.text;
    if (netClass !== undefined) netAt(label.at).classes.push(netClass);
  } else if (!isBusName(label.text)) netAt(label.at).labels.push({ sheet, label });
}
