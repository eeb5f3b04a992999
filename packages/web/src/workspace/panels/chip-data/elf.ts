/** A variable of a program: its place in memory, and how many bytes it has. */
export type ElfSymbol = { name: string; address: number; size: number };

const MAX_SYMBOLS = 50_000;
const [OBJECT, SYMBOL_TABLE] = [1, 2];

/**
 * The variables in the symbol table of an ELF file (System V ABI, chapters 4 and 5), 32 or 64 bits, by name. Throws a
 * sentence for people when it is not one, or has been stripped.
 */
export function readElfSymbols(file: ArrayBuffer): ElfSymbol[] {
  try {
    return symbolsOf(new DataView(file));
  } catch (error) {
    if (error instanceof RangeError) throw new Error("The file ends too early: it was not copied completely.");
    throw error;
  }
}

function symbolsOf(view: DataView): ElfSymbol[] {
  if (view.byteLength < 52 || view.getUint32(0) !== 0x7f_45_4c_46) throw new Error("This is not an ELF file.");
  const [is64, isLittle] = [view.getUint8(4) === 2, view.getUint8(5) === 1];
  const u16 = (at: number) => view.getUint16(at, isLittle);
  const u32 = (at: number) => view.getUint32(at, isLittle);
  const word = (at: number) => (is64 ? Number(view.getBigUint64(at, isLittle)) : u32(at));
  const sections = word(is64 ? 40 : 32);
  const [entrySize, count] = [u16(is64 ? 58 : 46), u16(is64 ? 60 : 48)];
  const section = (index: number) => {
    const at = sections + index * entrySize;
    return {
      type: u32(at + 4),
      offset: word(at + (is64 ? 24 : 16)),
      size: word(at + (is64 ? 32 : 20)),
      link: u32(at + (is64 ? 40 : 24)),
    };
  };
  const table = Array.from({ length: count }, (_, index) => section(index)).find(({ type }) => type === SYMBOL_TABLE);
  if (!table) throw new Error("The file has no symbol table: it was stripped. Use the file that the linker wrote.");
  const names = section(table.link);
  const size = is64 ? 24 : 16;
  const found = new Map<string, ElfSymbol>();
  for (let at = table.offset; at + size <= table.offset + table.size && found.size < MAX_SYMBOLS; at += size) {
    const info = view.getUint8(at + (is64 ? 4 : 12));
    const symbol = { address: word(at + (is64 ? 8 : 4)), size: word(at + (is64 ? 16 : 8)) };
    if ((info & 0xf) !== OBJECT || symbol.size === 0) continue;
    const name = textAt(view, names.offset + u32(at));
    if (name !== "" && !found.has(name)) found.set(name, { name, ...symbol });
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}

const MAX_NAME = 64;

/** A name that is too long, or that no list can have, is left out. */
function textAt(view: DataView, from: number): string {
  let text = "";
  for (let at = from; text.length <= MAX_NAME; at += 1) {
    const byte = view.getUint8(at);
    if (byte === 0) return /^[a-zA-Z_][\w.]*$/.test(text) ? text : "";
    text += String.fromCharCode(byte);
  }
  return "";
}

/** The types that a variable of this size can have, the usual one first; none for a list or a structure. */
export const typesOfSize = (size: number): string[] =>
  ({ 1: ["u8", "i8", "bool"], 2: ["u16", "i16"], 4: ["u32", "i32", "f32"], 8: ["u64", "i64", "f64"] })[size] ?? [];
