import type { JsonData } from "@backplane/contract/panels";
import { isObject, numberOf, textOf } from "../../controls/json.ts";
import type { Track } from "../../parts/plot/track.ts";
import { numberWords } from "../../parts/plot/words.ts";

export type Bits = { name: string; from: number; to: number };

/** A variable or a register, as the device lists it. `once`: reading it changes it, so it is not read by itself. */
export type Item = {
  name: string;
  address: number | undefined;
  type: string;
  access: "rw" | "ro" | "once";
  bits: readonly Bits[];
};

const MAX_ITEMS = 256;
const MAX_BITS = 64;
/** How far back a value is looked for that is not in every sample. */
const MAX_BACK = 600;

export function readItems(map: JsonData | null): Item[] {
  const listed = (Array.isArray(map) ? map : []).slice(0, MAX_ITEMS).flatMap((one): Item[] => {
    const name = isObject(one) ? textOf(one.name) : undefined;
    if (!isObject(one) || name === undefined) return [];
    const access = one.access === "ro" || one.access === "once" ? one.access : "rw";
    return [
      {
        ...{ name, access, address: numberOf(one.address) },
        type: textOf(one.type) ?? "u32",
        bits: readBits(one.bits),
      },
    ];
  });
  return [...new Map(listed.map((item) => [item.name, item])).values()];
}

const readBits = (bits: JsonData | undefined): Bits[] =>
  (Array.isArray(bits) ? bits : []).slice(0, MAX_BITS).flatMap((bit) => {
    if (!isObject(bit)) return [];
    const [name, from, to] = [textOf(bit.name), numberOf(bit.from), numberOf(bit.to) ?? numberOf(bit.from)];
    return name !== undefined && from !== undefined && to !== undefined && from >= 0 && to < 64 && to >= from
      ? [{ name, from, to }]
      : [];
  });

export type Known = ReadonlyMap<string, number>;

/** The last value of each item at a sample; one that was never read is not there. */
export function valuesAt(track: Track, sample: number, items: readonly Item[]): Map<string, number> {
  const values = new Map<string, number>();
  for (const { name } of items) {
    for (let at = sample; at >= track.first && at > sample - MAX_BACK; at -= 1) {
      const value = track.valueAt(name, at);
      if (Number.isNaN(value)) continue;
      values.set(name, value);
      break;
    }
  }
  return values;
}

/** Of a list, an object or a text that is not in every sample. */
export function lastData(track: Track, sample: number, field: string): JsonData | null {
  for (let at = sample; at >= track.first && at > sample - MAX_BACK; at -= 1) {
    const value = track.dataAt(field, at);
    if (value !== null) return value;
  }
  return null;
}

const VARIABLES = "Variables";
export const CORE = "Core";

/** `TIM1.SR` is the register SR of TIM1; a name without a dot is a variable. */
export function splitName(name: string): [group: string, own: string] {
  const dot = name.indexOf(".");
  return dot === -1 ? [VARIABLES, name] : [name.slice(0, dot), name.slice(dot + 1)];
}

export function groupsOf(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const [group] = splitName(item.name);
    groups.set(group, [...(groups.get(group) ?? []), item]);
  }
  return groups;
}

export const sizeBits = (type: string): number => (type === "bool" ? 8 : Number(type.slice(1)) || 32);
const isFloat = (type: string): boolean => type.startsWith("f");

/** Groups of four digits, as long as the register is. */
export function hexWords(value: number, bits: number): string {
  const whole = BigInt.asUintN(bits, BigInt(Math.trunc(value)));
  const digits = whole
    .toString(16)
    .toUpperCase()
    .padStart(bits / 4, "0");
  const words: string[] = [];
  for (let end = digits.length; end > 0; end -= 4) words.unshift(digits.slice(Math.max(0, end - 4), end));
  return `0x${words.join("_")}`;
}

/** Registers in hexadecimal, variables as people count. */
export function valueWords({ name, type }: Pick<Item, "name" | "type">, value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "–";
  if (isFloat(type)) return numberWords(value, Math.abs(value) >= 1_000 ? 1 : 3);
  return splitName(name)[0] === VARIABLES ? numberWords(value) : hexWords(value, sizeBits(type));
}

/** How many bits of a whole number are others than before. */
export function changedBits(value: number, before: number, type: string): number {
  const bits = sizeBits(type);
  const other = BigInt.asUintN(bits, BigInt(Math.trunc(value)) ^ BigInt(Math.trunc(before)));
  return other.toString(2).replaceAll("0", "").length;
}

/** What has changed, in words; undefined: nothing, or it is not known. */
export function changeOf(item: Item, value: number | undefined, before: number | undefined): string | undefined {
  if (value === undefined || before === undefined || Object.is(value, before)) return undefined;
  if (isFloat(item.type) || splitName(item.name)[0] === VARIABLES) {
    const by = value - before;
    return `${by > 0 ? "+" : "−"}${numberWords(Math.abs(by), isFloat(item.type) ? 3 : 0)}`;
  }
  const bits = changedBits(value, before, item.type);
  return `${bits} ${bits === 1 ? "bit" : "bits"}`;
}

export const bitAt = (value: number, bit: number): number =>
  Number((BigInt.asUintN(64, BigInt(Math.trunc(value))) >> BigInt(bit)) & 1n);

export const bitsValue = (value: number, { from, to }: Bits): number =>
  Number(BigInt.asUintN(to - from + 1, BigInt.asUintN(64, BigInt(Math.trunc(value))) >> BigInt(from)));

/** What somebody typed: decimal, 0x or 0b; undefined: it is not a number. */
export function typedNumber(text: string): number | undefined {
  const clean = text.trim().replaceAll("_", "").replace("−", "-");
  if (clean === "" || !/^(?:0x[\da-f]{1,16}|0b[01]{1,64}|[+-]?\d{1,20}(?:\.\d{0,20})?(?:e[+-]?\d{1,3})?)$/i.test(clean))
    return undefined;
  const value = Number(clean);
  return Number.isFinite(value) ? value : undefined;
}

/** A line of the list of a source. */
export function lineOf({ name, address, type, access, bits }: Item): string {
  const spans = bits.map((bit) => `${bit.name}@${bit.from}${bit.to === bit.from ? "" : `..${bit.to}`}`);
  return [name, `0x${(address ?? 0).toString(16)}`, type, ...(access === "rw" ? [] : [access]), ...spans].join(" ");
}
