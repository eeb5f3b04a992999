import type { Field } from "@backplane/contract/devices";
import { readNumber } from "../codec.ts";
import type { VeDirectBlock } from "./codec.ts";

type Read = (value: string) => number | string | undefined;
type Known = { field: string; about: Field; read: Read };

const scaled =
  (by: number): Read =>
  (value) => {
    const number = readNumber(value);
    return number === undefined ? undefined : Number((number * by).toFixed(6));
  };
const number = (unit: string): Field => ({ datatype: "number", unit });
const word = (words: Readonly<Record<string, string>>): Read => {
  return (value) =>
    Object.hasOwn(words, value) ? words[value] : /^\d{1,5}$/.test(value) ? `state ${value}` : undefined;
};

/** `CS`, state of operation. */
const STATES: Readonly<Record<string, string>> = {
  ...{ 0: "off", 1: "low power", 2: "fault", 3: "bulk", 4: "absorption", 5: "float", 6: "storage", 7: "equalize" },
  ...{ 9: "inverting", 11: "power supply", 245: "starting up", 246: "repeated absorption", 247: "recondition" },
  ...{ 248: "battery safe", 252: "external control" },
};

/** `ERR`; what is not listed is shown by its number. */
const ERRORS: Readonly<Record<string, string>> = {
  ...{ 2: "the battery voltage is too high", 17: "the charger is too hot", 18: "the charger's current is too high" },
  ...{
    19: "the charger's current is reversed",
    20: "the bulk time limit is exceeded",
    21: "the current sensor has a fault",
  },
  ...{ 26: "the terminals are too hot", 28: "the converter has a fault", 33: "the panel voltage is too high" },
  ...{ 34: "the panel current is too high", 38: "the input is shut down: the battery voltage is too high" },
  ...{ 39: "the input is shut down: current flows while it is off", 65: "another charger does not answer" },
  ...{ 66: "another charger has other settings", 67: "the battery's own electronics do not answer" },
  ...{ 68: "chargers are in a network that is wrongly set up", 116: "the calibration is lost" },
  ...{ 117: "the firmware does not fit", 119: "the settings are lost" },
};

const readError: Read = (value) => {
  if (!/^\d{1,5}$/.test(value)) return undefined;
  if (Number(value) === 0) return "";
  return Object.hasOwn(ERRORS, value) ? ERRORS[value] : `error ${value}`;
};

/** Labels of the text mode that the panel of chargers shows, by their label. */
const KNOWN: Readonly<Record<string, Known>> = {
  V: { field: "pack_v", about: number("V"), read: scaled(0.001) },
  I: { field: "current_a", about: number("A"), read: scaled(0.001) },
  P: { field: "power_w", about: number("W"), read: scaled(1) },
  SOC: { field: "soc_pct", about: number("%"), read: scaled(0.1) },
  CE: { field: "consumed_mah", about: number("mAh"), read: scaled(1) },
  T: { field: "temperature_c", about: number("°C"), read: scaled(1) },
  VPV: { field: "panel_v", about: number("V"), read: scaled(0.001) },
  PPV: { field: "panel_w", about: number("W"), read: scaled(1) },
  CS: { field: "state", about: { datatype: "text" }, read: word(STATES) },
  ERR: { field: "fault", about: { datatype: "text" }, read: readError },
};

const knownOf = (label: string): Known | undefined => (Object.hasOwn(KNOWN, label) ? KNOWN[label] : undefined);

/** The fields that a block has, for the description of the device. */
export const fieldsOf = (block: VeDirectBlock): Record<string, Field> =>
  Object.fromEntries(
    block.flatMap(([label]) => {
      const known = knownOf(label);
      return known ? [[known.field, known.about]] : [];
    }),
  );

/** What it measures; `---` stands for a sensor that is not there. */
export function sampleOf(block: VeDirectBlock): { values: Record<string, number | string>; wrong: string[] } {
  const values: Record<string, number | string> = {};
  const wrong: string[] = [];
  for (const [label, value] of block) {
    const known = knownOf(label);
    if (!known || value === "---") continue;
    const read = known.read(value);
    if (read === undefined) wrong.push(label);
    else values[known.field] = read;
  }
  return { values, wrong };
}
