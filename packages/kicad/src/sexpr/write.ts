import { isList, type List } from "./nodes.ts";

/** A node to write: a word, a number, a quoted string, or a list of these. */
export type NewNode = string | number | Quoted | readonly NewNode[];
export interface Quoted {
  readonly quoted: string;
}

/** How a file is laid out, so that new nodes look like their neighbours. */
export interface Layout {
  /** One step of indentation. */
  readonly step: string;
  readonly newline: string;
  /** KiCad 8 and later give every list that has lists in it several lines; earlier ones keep short lists together. */
  readonly tall: boolean;
}

/** A line of a short list has at most so many characters. */
const SHORT_LIST = 76;
/** KiCad writes points beside each other up to this column. */
const POINTS_COLUMN = 99;
/** Lists that KiCad 6 and 7 keep in the line of the name before them. */
const BESIDE_NAME = new Set(["at", "lib_id", "lib_name", "mirror", "unit", "pts", "shape", "size", "id"]);

export const quoted = (value: string): Quoted => ({ quoted: value });

export function quote(value: string): string {
  const escaped = value
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  return `"${escaped}"`;
}

/** Millimetres and degrees as KiCad writes them: at most six decimals, no trailing zeros, no -0. */
export function writeNumber(value: number): string {
  return String(Number(value.toFixed(6)));
}

export function layoutOf(text: string, root: List): Layout {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  for (const item of root.items) {
    if (!isList(item)) continue;
    const lineStart = text.lastIndexOf("\n", item.start) + 1;
    const before = text.slice(lineStart, item.start);
    if (lineStart > root.start && before.trim() === "" && before !== "") {
      return { step: before, newline, tall: before.startsWith("\t") };
    }
  }
  return { step: "  ", newline, tall: false };
}

/** `node` as text, to stand at `depth` steps of indentation. The first line has no indentation of its own. */
export function writeNode(node: NewNode, layout: Layout, depth: number): string {
  if (!isNewList(node)) return writeAtom(node);
  return layout.tall ? writeTall(node, layout, depth) : writeCompact(node, layout, depth);
}

const isNewList = (node: NewNode | undefined): node is readonly NewNode[] => Array.isArray(node);

function writeAtom(node: string | number | Quoted): string {
  if (typeof node === "number") return writeNumber(node);
  return typeof node === "string" ? node : quote(node.quoted);
}

const indent = (layout: Layout, depth: number): string => layout.newline + layout.step.repeat(depth);

function writeTall(list: readonly NewNode[], layout: Layout, depth: number): string {
  if (!list.some(isNewList)) return oneLine(list);
  let out = "(";
  let column = 0;
  let afterPoint = false;
  for (const [at, item] of list.entries()) {
    if (!isNewList(item)) {
      out += (at === 0 ? "" : " ") + writeAtom(item);
      continue;
    }
    const isPoint = item[0] === "xy";
    const text = writeTall(item, layout, depth + 1);
    if (isPoint && afterPoint && column + text.length < POINTS_COLUMN) {
      out += ` ${text}`;
      column += text.length + 1;
    } else {
      out += indent(layout, depth + 1) + text;
      column = depth + 1 + text.length;
    }
    afterPoint = isPoint;
  }
  return `${out}${indent(layout, depth)})`;
}

function writeCompact(list: readonly NewNode[], layout: Layout, depth: number): string {
  const short = oneLine(list);
  if (short.length <= SHORT_LIST && !["wire", "bus", "symbol", "property", "sheet"].includes(String(list[0])))
    return short;
  let out = "(";
  let beside = true;
  for (const [at, item] of list.entries()) {
    if (!isNewList(item)) {
      out += (at === 0 ? "" : " ") + writeAtom(item);
      continue;
    }
    beside &&= BESIDE_NAME.has(String(item[0])) || String(item[0]) === "xy";
    out += beside ? ` ${oneLine(item)}` : indent(layout, depth + 1) + writeCompact(item, layout, depth + 1);
  }
  return `${out}${indent(layout, depth)})`;
}

function oneLine(list: readonly NewNode[]): string {
  return `(${list.map((item) => (isNewList(item) ? oneLine(item) : writeAtom(item))).join(" ")})`;
}
