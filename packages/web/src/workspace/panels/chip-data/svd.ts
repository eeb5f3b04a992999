import type { Bits, Item } from "./chip.ts";

type Node = { tag: string; from: string | undefined; text: string; children: Node[] };

const MAX_DEPTH = 32;
const TAG = /^(\/?)([\w:]{1,64})/;

/** Elements, the attribute derivedFrom and texts: nothing else of XML is read, so nothing else of it can do harm. */
function readXml(text: string): Node {
  const root: Node = { tag: "", from: undefined, text: "", children: [] };
  const open = [root];
  for (const part of withoutComments(text).split("<").slice(1)) {
    const end = part.indexOf(">");
    if (end === -1) continue;
    const inside = part.slice(0, end);
    const [, slash, tag] = TAG.exec(inside) ?? [];
    const current = open.at(-1) as Node;
    if (tag !== undefined && slash === "/") {
      if (open.length > 1 && current.tag === tag) open.pop();
    } else if (tag !== undefined) {
      const node: Node = { tag, from: /derivedFrom="([\w.]{1,64})"/.exec(inside)?.[1], text: "", children: [] };
      current.children.push(node);
      if (!inside.endsWith("/")) open.push(node);
      if (open.length > MAX_DEPTH) throw new Error("The file is not an SVD file: its elements are nested too deeply.");
    }
    (open.at(-1) as Node).text += part.slice(end + 1);
  }
  return root;
}

function withoutComments(text: string): string {
  const [first = "", ...rest] = text.split("<!--");
  return [first, ...rest.map((part) => part.slice(part.includes("-->") ? part.indexOf("-->") + 3 : part.length))].join(
    "",
  );
}

const childrenOf = (node: Node | undefined, tag: string): Node[] =>
  node?.children.filter((one) => one.tag === tag) ?? [];
const childOf = (node: Node | undefined, ...path: string[]): Node | undefined =>
  path.reduce<Node | undefined>((found, tag) => childrenOf(found, tag)[0], node);
const textOf = (node: Node | undefined, tag: string): string => childOf(node, tag)?.text.trim() ?? "";

/** CMSIS-SVD: 0x…, #binary, decimal. */
function numberIn(text: string): number {
  const plain = text.startsWith("#") ? `0b${text.slice(1)}` : text;
  return plain === "" ? Number.NaN : Number(plain);
}

export type Peripheral = { name: string; description: string; items: Item[] };

/** The peripherals of a CMSIS-SVD file, with their registers. Throws a sentence for people when it is not one. */
export function readSvd(text: string): Peripheral[] {
  const device = childOf(readXml(text), "device");
  if (!device) throw new Error("This is not an SVD file: it has no device.");
  const all = childrenOf(childOf(device, "peripherals"), "peripheral");
  const usual = { size: textOf(device, "size") || "32", access: textOf(device, "access") };
  const peripherals = all.map((peripheral) => {
    const like = all.find((one) => textOf(one, "name") === peripheral.from) ?? peripheral;
    const registers = childOf(peripheral, "registers") ?? childOf(like, "registers");
    const name = textOf(peripheral, "name");
    const base = numberIn(textOf(peripheral, "baseAddress"));
    return {
      name,
      description: (textOf(peripheral, "description") || textOf(like, "description"))
        .replaceAll(/\s+/g, " ")
        .slice(0, 120),
      items: childrenOf(registers, "register").flatMap((register) => itemOf(register, { name, base, usual })),
    };
  });
  return peripherals.filter(({ name, items }) => /^\w{1,32}$/.test(name) && items.length > 0);
}

type Context = { name: string; base: number; usual: { size: string; access: string } };

/** Registers in a list (`%s`), and those that can only be written, are left out. */
function itemOf(register: Node, { name, base, usual }: Context): Item[] {
  const own = textOf(register, "name");
  const address = base + numberIn(textOf(register, "addressOffset"));
  const size = numberIn(textOf(register, "size") || usual.size);
  const access = textOf(register, "access") || usual.access;
  if (!/^\w{1,31}$/.test(own) || !Number.isSafeInteger(address) || ![8, 16, 32, 64].includes(size)) return [];
  if (access === "write-only" || access === "writeOnce") return [];
  const fields = childrenOf(childOf(register, "fields"), "field");
  const isChanged = [register, ...fields].some((one) => textOf(one, "readAction") !== "");
  return [
    {
      ...{ name: `${name}.${own}`, address, type: `u${size}` },
      access: isChanged ? "once" : access === "read-only" ? "ro" : "rw",
      bits: fields.flatMap((field) => bitsOf(field, size)),
    },
  ];
}

function bitsOf(field: Node, size: number): Bits[] {
  const name = textOf(field, "name");
  const [, high, low] = /^\[(\d+):(\d+)\]$/.exec(textOf(field, "bitRange")) ?? [];
  const from = numberIn(low ?? (textOf(field, "bitOffset") || textOf(field, "lsb")));
  const width = numberIn(textOf(field, "bitWidth") || "1");
  const to = numberIn(high ?? (textOf(field, "msb") || String(from + width - 1)));
  return /^\w{1,32}$/.test(name) && from >= 0 && to >= from && to < size ? [{ name, from, to }] : [];
}
