/** Members of one bus, at most. */
export const MAX_BUS_MEMBERS = 1024;
/** Groups inside groups and aliases, at most. */
const MAX_NESTING = 8;

export interface BusMember {
  /** The name of its net: `D3`, or `USB.DP` for member DP of a group with the name USB. */
  readonly name: string;
  /** Members of two connected buses belong together when these are equal: the number in a vector, the name in a group. */
  readonly match: string;
}

export type BusAliases = ReadonlyMap<string, readonly string[]>;

/** `{slash}` and the like stand for characters that names cannot have; they are not groups. */
const ESCAPED = new Set("slash backslash brace dblquote quote lt gt colon space tab return bar comma".split(" "));

interface Vector {
  readonly prefix: string;
  readonly first: number;
  readonly last: number;
  readonly suffix: string;
}

/** `D[0..7]` */
function readVector(text: string): Vector | undefined {
  const open = text.indexOf("[");
  const close = text.indexOf("]", open);
  if (open < 1 || close === -1) return undefined;
  const [from = "", to = "", ...more] = text.slice(open + 1, close).split("..");
  const [prefix, suffix] = [text.slice(0, open), text.slice(close + 1)];
  if (more.length > 0 || !/^\d{1,9}$/.test(from) || !/^\d{1,9}$/.test(to)) return undefined;
  if (/\s/.test(prefix) || /[^+\-PN}]/.test(suffix)) return undefined;
  const [first, last] = [Math.min(Number(from), Number(to)), Math.max(Number(from), Number(to))];
  return { prefix, first, last, suffix };
}

/** `USB{DP DM}`; `~{RESET}` is a text with a bar above it. */
function readGroup(text: string): { prefix: string; members: string[] } | undefined {
  const open = text.indexOf("{");
  if (open === -1 || !text.endsWith("}")) return undefined;
  const prefix = text.slice(0, open);
  const inside = text.slice(open + 1, -1);
  if (/[~^_]$/.test(prefix) || /\s/.test(prefix) || ESCAPED.has(inside)) return undefined;
  const members = splitMembers(inside);
  return members.length === 0 ? undefined : { prefix, members };
}

/** At white space outside of braces. */
function splitMembers(inside: string): string[] {
  const members: string[] = [];
  let [depth, word] = [0, ""];
  for (const character of inside) {
    if (character === "{") depth++;
    if (character === "}") depth--;
    if (depth === 0 && /\s/.test(character)) {
      if (word !== "") members.push(word);
      word = "";
    } else word += character;
  }
  return word === "" ? members : [...members, word];
}

export const isBusName = (text: string): boolean => readVector(text) !== undefined || readGroup(text) !== undefined;

/** The members of the bus that a label names, at most MAX_BUS_MEMBERS; empty when it names a single net. */
export function busMembers(text: string, aliases: BusAliases): BusMember[] {
  const vector = readVector(text);
  if (vector !== undefined) {
    return vectorNames(vector).map((name, at) => ({ name, match: `#${vector.first + at}` }));
  }
  const group = readGroup(text);
  if (group === undefined) return [];
  const names: string[] = [];
  collect(group.members, aliases, names, 0);
  const prefix = group.prefix === "" ? "" : `${group.prefix}.`;
  return names.map((name) => ({ name: prefix + name, match: `.${name}` }));
}

function vectorNames({ prefix, first, last, suffix }: Vector): string[] {
  const names: string[] = [];
  for (let at = first; at <= last && names.length < MAX_BUS_MEMBERS; at++) names.push(`${prefix}${at}${suffix}`);
  return names;
}

function collect(members: readonly string[], aliases: BusAliases, names: string[], nesting: number): void {
  for (const member of members) {
    if (names.length >= MAX_BUS_MEMBERS || nesting > MAX_NESTING) return;
    const alias = aliases.get(member);
    const vector = readVector(member);
    if (alias !== undefined) collect(alias, aliases, names, nesting + 1);
    else if (vector !== undefined) names.push(...vectorNames(vector).slice(0, MAX_BUS_MEMBERS - names.length));
    else {
      const group = readGroup(member);
      if (group === undefined) names.push(member);
      else collect(group.members, aliases, names, nesting + 1);
    }
  }
}
