import type { SheetInstance } from "../schematic/index.ts";
import { powerName } from "./connect.ts";
import type { Net, NetPin } from "./net.ts";

/** Since this version the name of a pin is a part of the name of a net that has no label. */
const PIN_NAMES_IN_NETS = 20220914;

interface Driver {
  readonly name: string;
  /** The higher one names the net. */
  readonly priority: number;
  readonly depth: number;
}

const GLOBAL_LABEL = 6;
const GLOBAL_POWER = 5;
const LOCAL_POWER = 4;
const LOCAL_LABEL = 3;
const HIERARCHICAL_LABEL = 2;
const SHEET_PIN = 1;
const PIN = 0;

type NamedThings = Pick<Net, "pins" | "labels" | "members" | "sheetPins">;

/** By KiCad's order: global labels, power, local labels, hierarchical ones, sheet pins, pins; then the upper sheet; then A to Z. */
export function nameOfNet(net: NamedThings): string {
  let best: Driver | undefined;
  for (const driver of driversOf(net)) {
    if (best === undefined || isStronger(driver, best)) best = driver;
  }
  return best?.name ?? "";
}

function isStronger(one: Driver, other: Driver): boolean {
  if (one.priority !== other.priority) return one.priority > other.priority;
  if (one.depth !== other.depth) return one.depth < other.depth;
  return one.name < other.name;
}

function* driversOf({ pins, labels, members, sheetPins }: NamedThings): Generator<Driver> {
  for (const { sheet, label } of labels) {
    const depth = depthOf(sheet);
    if (label.scope === "global") yield { name: netNameOf(label.text), priority: GLOBAL_LABEL, depth };
    else {
      const priority = label.scope === "hierarchical" ? HIERARCHICAL_LABEL : LOCAL_LABEL;
      yield { name: sheet.name + netNameOf(label.text), priority, depth };
    }
  }
  for (const { sheet, name, scope } of members) {
    const depth = depthOf(sheet);
    if (scope === "global") yield { name: netNameOf(name), priority: GLOBAL_LABEL, depth };
    else yield { name: sheet.name + netNameOf(name), priority: LOCAL_LABEL, depth };
  }
  for (const { sheet, pin } of sheetPins)
    yield { name: sheet.name + netNameOf(pin.name), priority: SHEET_PIN, depth: depthOf(sheet) };
  const alone = pins.length === 1;
  for (const one of pins) {
    const power = powerName(one.sheet, one.symbol, one.pin);
    if (power?.scope === "global") yield { name: netNameOf(power.name), priority: GLOBAL_POWER, depth: 0 };
    else if (power?.scope === "local") {
      yield { name: one.sheet.name + netNameOf(power.name), priority: LOCAL_POWER, depth: depthOf(one.sheet) };
    } else if (one.symbol.library?.power === undefined) {
      yield { name: nameByPin(one, alone), priority: PIN, depth: 0 };
    }
  }
}

const depthOf = (sheet: SheetInstance): number => sheet.path.split("/").length;

function nameByPin({ reference, pin, sheet, symbol }: NetPin, alone: boolean): string {
  const named = sheet.schematic.version >= PIN_NAMES_IN_NETS && pin.name !== "" && pin.name !== "~";
  if (alone) {
    return named
      ? `unconnected-(${reference}-${pin.name}-Pad${pin.number})`
      : `unconnected-(${reference}-Pad${pin.number})`;
  }
  if (!named) return `Net-(${reference}-Pad${pin.number})`;
  const twins = symbol.pins.some((other) => other.name === pin.name && other.number !== pin.number);
  return twins ? `Net-(${reference}-${pin.name}-Pad${pin.number})` : `Net-(${reference}-${pin.name})`;
}

/** A slash separates sheets in the names of nets, so KiCad writes one that belongs to a label as `{slash}`. */
const netNameOf = (text: string): string => text.replaceAll("/", "{slash}");

/** A net's name as people wrote it. */
export const readableNetName = (name: string): string => name.replaceAll("{slash}", "/");
