/** How a value is kept in the memory of a chip. */
export const CHIP_TYPES = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "bool"] as const;
export type ChipType = (typeof CHIP_TYPES)[number];

/** `once`: reading it changes it, so it is read only when somebody asks. */
export type ChipAccess = "rw" | "ro" | "once";

/** Bits of a register, from the lowest to the highest. */
export type ChipBits = { name: string; from: number; to: number };

/** A variable or a register: where it is, and how it is read. */
export type ChipItem = { name: string; address: number; type: ChipType; access: ChipAccess; bits: ChipBits[] };

export const MAX_CHIP_ITEMS = 200;
const MAX_BITS = 64;
const NAME = /^[a-zA-Z_][\w.]{0,63}$/;
const ADDRESS = /^(?:0x[0-9a-fA-F]{1,12}|\d{1,14})$/;
const BITS = /^([\w]{1,32})@(\d{1,2})(?:\.\.(\d{1,2}))?$/;
/** Names of fields that samples have for themselves. */
const TAKEN: readonly string[] = ["state", "map", "registers", "__proto__"];

export const sizeOf = (type: ChipType): number => (type === "bool" ? 1 : Number(type.slice(1)) / 8);

/**
 * A list of variables and registers, one per line or between semicolons: `NAME ADDRESS TYPE`, then `ro` or `once` if it is
 * so, then bits such as `UIF@0` or `MODE@4..6`. What follows `#` is a remark. `faults`: what cannot be read, with its line.
 */
export function readChipMap(text: string): { items: ChipItem[]; faults: string[] } {
  const items = new Map<string, ChipItem>();
  const faults: string[] = [];
  for (const [i, line] of text.split(/[\n;]/).entries()) {
    const words = (line.split("#", 1)[0] ?? "").trim().split(/\s+/);
    if (words[0] === "") continue;
    const item = readItem(words);
    const fault = (why: string) => faults.push(`Line ${i + 1}, ${words[0]?.slice(0, 40)}: ${why}.`);
    if (typeof item === "string") fault(item);
    else if (items.has(item.name)) fault("it is there twice");
    else if (items.size >= MAX_CHIP_ITEMS) fault(`there can be ${MAX_CHIP_ITEMS}`);
    else items.set(item.name, item);
  }
  return { items: [...items.values()], faults };
}

/** Text: why it cannot be read. */
function readItem([name = "", place = "", kind = "", ...rest]: readonly string[]): ChipItem | string {
  if (!NAME.test(name) || TAKEN.includes(name)) return "a name has letters, digits, _ and dots";
  if (!ADDRESS.test(place)) return "an address is written as 0x20000010";
  const type = CHIP_TYPES.find((known) => known === kind);
  if (!type) return `the type is one of ${CHIP_TYPES.join(", ")}`;
  const access = rest.find((word): word is "ro" | "once" => word === "ro" || word === "once") ?? "rw";
  const bits: ChipBits[] = [];
  for (const word of rest) {
    if (word === access) continue;
    const [, bit = "", from = "", to = from] = BITS.exec(word) ?? [];
    if (bit === "" || Number(to) < Number(from) || Number(to) >= 8 * sizeOf(type) || bits.length >= MAX_BITS)
      return `bits are written as NAME@0 or NAME@4..6, within ${8 * sizeOf(type)} bits`;
    bits.push({ name: bit, from: Number(from), to: Number(to) });
  }
  return { name, address: Number(place), type, access, bits };
}

/** Lowest and highest value of a type; undefined: it is not a whole number. */
export function limitsOfType(type: ChipType): [number, number] | undefined {
  if (type === "bool") return [0, 1];
  if (type.startsWith("f")) return undefined;
  const bits = Number(type.slice(1));
  if (bits === 64)
    return type === "u64" ? [0, Number.MAX_SAFE_INTEGER] : [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return type.startsWith("u") ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
}

/** The value in the first bytes, the lowest first; undefined: there are too few, or it is not a finite number. */
export function readTyped(bytes: Buffer, type: ChipType): number | undefined {
  const size = sizeOf(type);
  if (bytes.length < size) return undefined;
  const value = valueIn(bytes, type, size);
  return Number.isFinite(value) ? value : undefined;
}

function valueIn(bytes: Buffer, type: ChipType, size: number): number {
  if (type === "f32") return Number(bytes.readFloatLE().toPrecision(7));
  if (type === "f64") return bytes.readDoubleLE();
  if (type === "bool") return bytes[0] === 0 ? 0 : 1;
  if (size === 8) return Number(type === "u64" ? bytes.readBigUInt64LE() : bytes.readBigInt64LE());
  return type.startsWith("u") ? bytes.readUIntLE(0, size) : bytes.readIntLE(0, size);
}

/** The value must be within `limitsOfType`. */
export function writeTyped(value: number, type: ChipType): Buffer {
  const size = sizeOf(type);
  const bytes = Buffer.alloc(size);
  if (type === "f32") bytes.writeFloatLE(value);
  else if (type === "f64") bytes.writeDoubleLE(value);
  else if (size === 8) bytes.writeBigInt64LE(BigInt.asIntN(64, BigInt(value)));
  else if (type.startsWith("i")) bytes.writeIntLE(value, 0, size);
  else bytes.writeUIntLE(value, 0, size);
  return bytes;
}
