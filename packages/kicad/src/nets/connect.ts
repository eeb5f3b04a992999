import {
  type BusEntry,
  type Design,
  itemsOf,
  type Label,
  type PlacedPin,
  type PlacedSymbol,
  type Point,
  pinsOf,
  placeKey,
  type SheetInstance,
  valueShown,
} from "../schematic/index.ts";
import { type BusAliases, busMembers, isBusName } from "./bus-names.ts";
import { Groups } from "./groups.ts";
import { LineIndex } from "./line-index.ts";
import type { BusMemberName } from "./net.ts";

/** Since KiCad 7 a power symbol names its net by its value, before that by the name of its pin. */
const VALUE_NAMES_POWER = 20220914;

/** A name of a bus where it is connected, with the keys of its members. */
interface BusName {
  readonly bus: string;
  /** Keys by what they match. */
  readonly members: ReadonlyMap<string, string>;
}

/** A net that a bus label names, by its key. */
export interface KeyedMember extends BusMemberName {
  readonly key: string;
}

/** What belongs together in a whole design. Keys are places on sheets, and names in a scope. */
export interface Connections {
  readonly groups: Groups;
  readonly aliases: BusAliases;
  readonly lines: readonly SheetLines[];
  readonly members: readonly KeyedMember[];
}

/** Where wires and buses of one sheet pass. */
export interface SheetLines {
  readonly wires: LineIndex;
  readonly buses: LineIndex;
}

export const placeOn = (sheet: number, point: Point): string => `${sheet}|${placeKey(point)}`;
export const busPlaceOn = (sheet: number, point: Point): string => `${sheet}|bus|${placeKey(point)}`;
/** `{slash}` in a label means the same as a slash. */
const localName = (sheet: number, name: string): string => `${sheet}|name|${name.replaceAll("{slash}", "/")}`;
const globalName = (name: string): string => `name|${name.replaceAll("{slash}", "/")}`;
/** Joins a hierarchical label with the sheet pin of the same name one sheet above. */
const doorName = (sheet: number, name: string): string => `${sheet}|door|${name}`;

export function connect(design: Design): Connections {
  const aliases = new Map(design.sheets.flatMap(({ schematic }) => [...schematic.busAliases]));
  const groups = new Groups();
  const lines = design.sheets.map(({ schematic }) => ({
    wires: new LineIndex(itemsOf(schematic, "wire")),
    buses: new LineIndex(itemsOf(schematic, "bus")),
  }));
  const members: KeyedMember[] = [];
  const connections = { groups, aliases, lines, members };
  const busNames: BusName[] = [];
  for (const [at, sheet] of design.sheets.entries()) {
    connectLines(connections, sheet, at);
    for (const label of itemsOf(sheet.schematic, "label")) {
      connectLabel(connections, label, at, busNames);
      members.push(...membersNamedBy(label, sheet, at, aliases));
    }
    for (const symbol of itemsOf(sheet.schematic, "symbol")) {
      for (const pin of pinsOf(symbol, sheet)) connectPower(groups, sheet, symbol, pin, at);
    }
    connectAbove(connections, design, sheet, at, busNames);
  }
  connectBuses(groups, busNames);
  return connections;
}

function connectLines({ groups, lines }: Connections, { schematic }: SheetInstance, at: number): void {
  for (const wire of itemsOf(schematic, "wire")) groups.join(placeOn(at, wire.start), placeOn(at, wire.end));
  for (const bus of itemsOf(schematic, "bus")) groups.join(busPlaceOn(at, bus.start), busPlaceOn(at, bus.end));
  for (const [one, other] of lines[at]?.wires.overlapping() ?? [])
    groups.join(placeOn(at, one.start), placeOn(at, other.start));
  for (const [one, other] of lines[at]?.buses.overlapping() ?? [])
    groups.join(busPlaceOn(at, one.start), busPlaceOn(at, other.start));
  for (const junction of itemsOf(schematic, "junction")) attach(groups, lines[at], at, junction.at);
  for (const entry of itemsOf(schematic, "bus_entry")) connectEntry(groups, lines[at], entry, at);
}

/** Junctions and labels also connect in the middle of a line; pins and ends of wires do not. */
function attach(groups: Groups, lines: SheetLines | undefined, at: number, point: Point): void {
  for (const wire of lines?.wires.through(point) ?? []) groups.join(placeOn(at, point), placeOn(at, wire.start));
  for (const bus of lines?.buses.through(point) ?? []) groups.join(busPlaceOn(at, point), busPlaceOn(at, bus.start));
}

/** An entry between two buses joins them. Between a bus and a wire it joins nothing: the wire's label says which member it is. */
function connectEntry(groups: Groups, lines: SheetLines | undefined, entry: BusEntry, at: number): void {
  const [one, other] = [lines?.buses.through(entry.at) ?? [], lines?.buses.through(entry.end) ?? []];
  for (const bus of one) groups.join(busPlaceOn(at, entry.at), busPlaceOn(at, bus.start));
  for (const bus of other) groups.join(busPlaceOn(at, entry.end), busPlaceOn(at, bus.start));
  if (one.length > 0 && other.length > 0) groups.join(busPlaceOn(at, entry.at), busPlaceOn(at, entry.end));
  if (one.length === 0 && other.length === 0) groups.join(placeOn(at, entry.at), placeOn(at, entry.end));
}

function connectLabel({ groups, aliases, lines }: Connections, label: Label, at: number, busNames: BusName[]): void {
  attach(groups, lines[at], at, label.at);
  if (label.scope === "directive") return;
  const scoped = (name: string) => scopedName(label, at, name);
  if (isBusName(label.text)) {
    const members = busMembers(label.text, aliases).map(({ name, match }) => [match, scoped(name)] as const);
    busNames.push({ bus: busPlaceOn(at, label.at), members: new Map(members) });
  } else groups.join(placeOn(at, label.at), scoped(label.text));
  if (label.scope === "hierarchical") groups.join(doorName(at, label.text), localName(at, label.text));
}

const scopedName = ({ scope }: Label, at: number, name: string): string =>
  scope === "global" ? globalName(name) : localName(at, name);

/** Hierarchical labels take their names from the sheet above, where there is one. */
function membersNamedBy(label: Label, sheet: SheetInstance, at: number, aliases: BusAliases): KeyedMember[] {
  if (label.scope !== "local" && label.scope !== "global") return [];
  const { scope } = label;
  return busMembers(label.text, aliases).map(({ name }) => ({ sheet, name, scope, key: scopedName(label, at, name) }));
}

/** The name that a pin gives its net, with the reach of that name. */
export function powerName(
  { schematic }: SheetInstance,
  symbol: PlacedSymbol,
  pin: PlacedPin,
): { name: string; scope: "global" | "local" } | undefined {
  if (pin.type !== "power_in") return undefined;
  const power = symbol.library?.power;
  if (power !== undefined) {
    return { name: schematic.version >= VALUE_NAMES_POWER ? valueShown(symbol) : pin.name, scope: power };
  }
  // Hidden supply pins of older libraries connect by their name alone.
  return pin.hidden ? { name: pin.name, scope: "global" } : undefined;
}

function connectPower(groups: Groups, sheet: SheetInstance, symbol: PlacedSymbol, pin: PlacedPin, at: number): void {
  const power = powerName(sheet, symbol, pin);
  if (power === undefined || power.name === "" || power.name === "~") return;
  groups.join(placeOn(at, pin.at), power.scope === "global" ? globalName(power.name) : localName(at, power.name));
}

/** The pins of this sheet's symbol one sheet above, joined with the hierarchical labels in it. */
function connectAbove(
  { groups, aliases }: Connections,
  design: Design,
  sheet: SheetInstance,
  at: number,
  busNames: BusName[],
): void {
  if (sheet.parent === undefined || sheet.sheet === undefined) return;
  const above = design.sheets.indexOf(sheet.parent);
  const doors = new Set<string>();
  for (const label of itemsOf(sheet.schematic, "label")) if (label.scope === "hierarchical") doors.add(label.text);
  for (const pin of sheet.sheet.pins) {
    if (!doors.has(pin.name)) continue;
    if (isBusName(pin.name)) {
      const members = busMembers(pin.name, aliases).map(({ name, match }) => [match, localName(at, name)] as const);
      busNames.push({ bus: busPlaceOn(above, pin.at), members: new Map(members) });
    } else groups.join(placeOn(above, pin.at), doorName(at, pin.name));
  }
}

/** All names of one bus are names of the same members. */
function connectBuses(groups: Groups, names: readonly BusName[]): void {
  const buses = new Map<number, Map<string, string>>();
  for (const { bus, members } of names) {
    const known = buses.get(groups.find(bus)) ?? new Map<string, string>();
    buses.set(groups.find(bus), known);
    for (const [match, key] of members) {
      const first = known.get(match);
      if (first === undefined) known.set(match, key);
      else groups.join(first, key);
    }
  }
}
