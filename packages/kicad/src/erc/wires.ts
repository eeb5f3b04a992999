import type { Nets } from "../nets/index.ts";
import {
  type Design,
  type Item,
  itemsOf,
  type Line,
  type Point,
  type SheetInstance,
  samePlace,
} from "../schematic/index.ts";
import { type Finding, finding } from "./findings.ts";
import type { Touching } from "./touching.ts";

/** KiCad's default distance of places that connect. */
const GRID_MM = 1.27;

/** Wires and marks: ends that lead nowhere, marks on nothing, places beside the grid. */
export function checkWires(design: Design, nets: Nets, touching: readonly Touching[]): Finding[] {
  return design.sheets.flatMap((sheet, at) => {
    const around = touching[at];
    if (around === undefined) return [];
    return [
      ...itemsOf(sheet.schematic, "wire").flatMap((wire) => checkWire(sheet, wire, nets, around)),
      ...itemsOf(sheet.schematic, "no_connect").flatMap((mark) => checkMark(sheet, mark, nets, around)),
      ...checkGrid(sheet),
    ];
  });
}

function checkWire(sheet: SheetInstance, wire: Line, nets: Nets, around: Touching): Finding[] {
  const item = wire as Item;
  const net = nets.at(sheet, wire.start);
  const empty = net === undefined || net.pins.length + net.labels.length + net.sheetPins.length === 0;
  const ends = [wire.start, wire.end];
  const atEntry = ends.some((end) => around.at(end).some(({ kind }) => kind === "bus_entry"));
  const onBus = ends.find((end) => around.busesThrough(end).length > 0);
  if (onBus !== undefined) {
    return [
      finding("bus_entry_needed", "A wire ends on a bus without a bus entry.", { sheet, at: onBus, items: [item] }),
    ];
  }
  if (empty && !atEntry) {
    const first = net?.wires[0]?.wire;
    if (first !== undefined && first !== wire) return [];
    return [finding("wire_dangling", "A wire is connected to nothing.", { sheet, at: wire.start, items: [item] })];
  }
  return ends.flatMap((end) => {
    const others = around.at(end).filter((other) => other !== item);
    if (others.length > 0) return [];
    return [
      finding("unconnected_wire_endpoint", "A wire ends here without a connection.", { sheet, at: end, items: [item] }),
    ];
  });
}

function checkMark(
  sheet: SheetInstance,
  mark: Extract<Item, { kind: "no_connect" }>,
  nets: Nets,
  around: Touching,
): Finding[] {
  const place = { sheet, at: mark.at, items: [mark] };
  const here = around.at(mark.at).filter((item) => item !== mark);
  if (here.length === 0) return [finding("no_connect_dangling", "A no-connect mark is on nothing.", place)];
  const net = nets.at(sheet, mark.at);
  const elsewhere = net?.pins.some((pin) => pin.sheet !== sheet || !samePlace(pin.pin.at, mark.at)) ?? false;
  if (!elsewhere && (net?.labels.length ?? 0) === 0) return [];
  return [finding("no_connect_connected", "A no-connect mark is on something that is connected.", place)];
}

const isOffGrid = ({ x, y }: Point): boolean =>
  [x, y].some((value) => Math.abs(value / GRID_MM - Math.round(value / GRID_MM)) > 1e-3);

function checkGrid(sheet: SheetInstance): Finding[] {
  return sheet.schematic.items.flatMap((item) => {
    const places =
      item.kind === "wire" ? [item.start, item.end] : item.kind === "symbol" ? item.pins.map(({ at }) => at) : [];
    const off = places.find(isOffGrid);
    if (off === undefined) return [];
    const what = item.kind === "wire" ? "A wire ends" : "A pin is";
    return [
      finding("endpoint_off_grid", `${what} beside the grid of ${GRID_MM} mm.`, { sheet, at: off, items: [item] }),
    ];
  });
}
