import { type ChipType, readTyped } from "./chip-map.ts";

/** A register of the core, as the debug server describes it. `offset`: of its bytes in the answer to `g`. */
export type CoreRegister = { name: string; bits: number; offset: number };

const MAX_REGISTERS = 64;
const MAX_BITS = 4_096;
const TAG = /<(reg|xi:include)\s([^<>]{1,1000})>/g;
const ATTRIBUTE = /([a-z]{1,20})\s?=\s?"([^"<>]{0,100})"/g;

type Tag = { tag: string; attributes: ReadonlyMap<string, string> };

function* tagsIn(xml: string): Generator<Tag> {
  for (const [, tag = "", rest = ""] of xml.matchAll(TAG))
    yield {
      tag,
      attributes: new Map(Array.from(rest.matchAll(ATTRIBUTE), ([, name = "", value = ""]) => [name, value])),
    };
}

/** Other files that a target description is in. */
export const includesOf = (xml: string): string[] =>
  [...tagsIn(xml)].flatMap(({ tag, attributes }) => (tag === "xi:include" ? (attributes.get("href") ?? []) : []));

/** The registers of a target description (GDB manual, "Target Description Format"), in the order of the answer to `g`. */
export function readRegisters(xml: string): CoreRegister[] {
  const registers: CoreRegister[] = [];
  let offset = 0;
  for (const { tag, attributes } of tagsIn(xml)) {
    if (tag !== "reg" || registers.length >= MAX_REGISTERS) continue;
    const [name = "", bits] = [attributes.get("name"), Number(attributes.get("bitsize"))];
    if (!/^\w{1,32}$/.test(name) || !(bits > 0 && bits <= MAX_BITS && bits % 8 === 0)) return registers;
    // Those that follow are in another group: they have a number of their own.
    const number = attributes.get("regnum");
    if (number !== undefined && Number(number) !== registers.length) return registers;
    registers.push({ name, bits, offset });
    offset += bits / 8;
  }
  return registers;
}

const TYPES: Readonly<Record<number, ChipType>> = { 8: "u8", 16: "u16", 32: "u32", 64: "u64" };

/** Those that are as wide as a number; a value of which the server says `xxxxxxxx` is not known. */
export function valuesOf(registers: readonly CoreRegister[], answer: string): Record<string, number> {
  const values: Record<string, number> = {};
  for (const { name, bits, offset } of registers) {
    const type = TYPES[bits];
    const hex = answer.slice(2 * offset, 2 * (offset + bits / 8));
    const value = type && /^[0-9a-fA-F]+$/.test(hex) ? readTyped(Buffer.from(hex, "hex"), type) : undefined;
    if (value !== undefined) values[name] = value;
  }
  return values;
}
