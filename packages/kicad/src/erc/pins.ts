import { type Net, type NetPin, type Nets, powerName, readableNetName } from "../nets/index.ts";
import { type Design, itemsOf, placeKey, samePlace } from "../schematic/index.ts";
import { type Finding, finding } from "./findings.ts";
import { pinConflict } from "./pin-matrix.ts";
import type { Touching } from "./touching.ts";

const DRIVING = new Set(["output", "power_out", "passive", "tri_state", "bidirectional"]);
const NEVER_CONNECTED = new Set(["no_connect", "free"]);

const pinName = ({ reference, pin }: NetPin): string =>
  pin.name === "" || pin.name === "~"
    ? `Pin ${pin.number} of ${reference}`
    : `Pin ${pin.number} (${pin.name}) of ${reference}`;
const place = ({ sheet, symbol, pin }: NetPin) => ({ sheet, at: pin.at, items: [symbol] });

/** Pins: connected, driven, and allowed to be together. */
export function checkPins(design: Design, nets: Nets, touching: readonly Touching[]): Finding[] {
  const sheetNumbers = new Map(design.sheets.map((sheet, at) => [sheet, at]));
  const marked = new Set(
    design.sheets.flatMap((sheet, at) =>
      itemsOf(sheet.schematic, "no_connect").map((mark) => `${at} ${placeKey(mark.at)}`),
    ),
  );
  const isMarked = ({ sheet, pin }: NetPin) => marked.has(`${sheetNumbers.get(sheet)} ${placeKey(pin.at)}`);
  return nets.nets.flatMap((net) => [
    ...net.pins.flatMap((pin) => {
      const around = touching[sheetNumbers.get(pin.sheet) ?? -1];
      return isMarked(pin) || around === undefined ? [] : checkConnected(net, pin, around);
    }),
    ...checkConflicts(net),
    ...(net.pins.some(isMarked) ? [] : checkDriven(net)),
  ]);
}

function checkConnected(net: Net, one: NetPin, around: Touching): Finding[] {
  if (NEVER_CONNECTED.has(one.pin.type)) return [];
  // Hidden supply pins connect by their name alone.
  if (one.symbol.library?.power === undefined && powerName(one.sheet, one.symbol, one.pin) !== undefined) return [];
  const others = around.at(one.pin.at).filter((item) => item !== one.symbol);
  const beside = one.symbol.pins.some((pin) => pin.number !== one.pin.number && samePlace(pin.at, one.pin.at));
  const named = net.labels.length + net.sheetPins.length > 0;
  const alone = net.pins.length === 1 && !named;
  if ((others.length > 0 || beside) && !alone) return [];
  return [finding("pin_not_connected", `${pinName(one)} is not connected.`, place(one))];
}

/** One finding per two types of pins on a net. */
function checkConflicts(net: Net): Finding[] {
  const byType = new Map<string, NetPin[]>();
  for (const pin of net.pins) byType.set(pin.pin.type, [...(byType.get(pin.pin.type) ?? []).slice(0, 1), pin]);
  const types = [...byType.keys()];
  return types.flatMap((type, at) =>
    types.slice(at).flatMap((other) => {
      const [one] = byType.get(type) ?? [];
      const two = type === other ? byType.get(other)?.[1] : byType.get(other)?.[0];
      const severity = pinConflict(type, other);
      if (one === undefined || two === undefined || severity === undefined) return [];
      if (one.symbol === two.symbol && samePlace(one.pin.at, two.pin.at)) return [];
      const message = `${pinName(one)}, ${words(type)}, and ${pinName(two)}, ${words(other)}, are connected.`;
      return [finding("pin_to_pin", message, { ...place(one), items: [one.symbol, two.symbol] }, severity)];
    }),
  );
}

const words = (type: string): string => type.replaceAll("_", " ");

function checkDriven(net: Net): Finding[] {
  if (net.pins.length === 1 && net.labels.length + net.sheetPins.length === 0) return [];
  const types = new Set(net.pins.map(({ pin }) => pin.type));
  const name = readableNetName(net.name);
  const supply = net.pins.find(({ pin, symbol }) => pin.type === "power_in" && symbol.library?.power === undefined);
  const needsPower = supply ?? net.pins.find(({ pin }) => pin.type === "power_in");
  if (needsPower !== undefined && !types.has("power_out")) {
    const message = `${pinName(needsPower)} needs power, and nothing on ${name} supplies it. A power flag says that it comes from elsewhere.`;
    return [finding("power_pin_not_driven", message, place(needsPower))];
  }
  const input = net.pins.find(({ pin }) => pin.type === "input");
  if (input === undefined || [...types].some((type) => DRIVING.has(type))) return [];
  return [finding("pin_not_driven", `${pinName(input)} is an input, and nothing on ${name} drives it.`, place(input))];
}
