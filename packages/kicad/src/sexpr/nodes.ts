/** A word (`yes`, `12.7`) or a quoted string. `value` is its meaning, the span is where it is written. */
export interface Atom {
  readonly kind: "word" | "string";
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/** A list in parentheses. By KiCad's convention its first item is the list's name. */
export interface List {
  readonly kind: "list";
  readonly start: number;
  readonly end: number;
  readonly items: readonly Node[];
}

export type Node = Atom | List;

export const isList = (node: Node | undefined): node is List => node?.kind === "list";

export function nameOf(node: Node | undefined): string | undefined {
  if (node?.kind !== "list") return undefined;
  const first = node.items[0];
  return first === undefined || first.kind === "list" ? undefined : first.value;
}

/** The first list of that name inside `list`. */
export function child(list: List | undefined, name: string): List | undefined {
  if (list === undefined) return undefined;
  for (const item of list.items) if (item.kind === "list" && nameOf(item) === name) return item;
  return undefined;
}

/** All lists of that name inside `list`, in the order of the file. */
export function children(list: List | undefined, name: string): List[] {
  const found: List[] = [];
  if (list === undefined) return found;
  for (const item of list.items) if (item.kind === "list" && nameOf(item) === name) found.push(item);
  return found;
}

export function atomAt(list: List | undefined, index: number): Atom | undefined {
  const item = list?.items[index];
  return item === undefined || item.kind === "list" ? undefined : item;
}

export const textAt = (list: List | undefined, index: number): string | undefined => atomAt(list, index)?.value;

/** The first value of the list named `name`: `(uuid "x")` → `x`. */
export const textOf = (list: List | undefined, name: string): string | undefined => textAt(child(list, name), 1);

/** The atoms after the name that are numbers. What is not a number is left out. */
export function numbersIn(list: List | undefined): number[] {
  const numbers: number[] = [];
  for (let at = 1; at < (list?.items.length ?? 0); at++) {
    const item = list?.items[at];
    if (item?.kind !== "word") continue;
    const value = Number(item.value);
    if (Number.isFinite(value)) numbers.push(value);
  }
  return numbers;
}

/** The number at that place among the numbers of a list, from 0; 0 when there are fewer, unless told. */
export function numberIn(list: List | undefined, place: number, fallback = 0): number {
  if (list === undefined) return fallback;
  let left = place;
  for (let at = 1; at < list.items.length; at++) {
    const item = list.items[at];
    if (item?.kind !== "word") continue;
    const value = Number(item.value);
    if (Number.isFinite(value) && left-- === 0) return value;
  }
  return fallback;
}

/** Whether `list` has the word itself, or a list of that name that does not say no: `hide`, `(hide)`, `(hide yes)`. */
export function flag(list: List | undefined, name: string): boolean {
  if (list === undefined) return false;
  for (const item of list.items) {
    if (item.kind === "list") {
      if (nameOf(item) === name) return textAt(item, 1) !== "no";
    } else if (item.kind === "word" && item.value === name) return true;
  }
  return false;
}

/** Equal as trees: numbers as numbers, without regard to white space. */
export function sameTree(one: Node, other: Node): boolean {
  const pairs: [Node, Node][] = [[one, other]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair;
    if (a.kind === "list") {
      if (b.kind !== "list" || a.items.length !== b.items.length) return false;
      for (const [at, item] of a.items.entries()) {
        const twin = b.items[at];
        if (twin !== undefined) pairs.push([item, twin]);
      }
    } else if (b.kind === "list" || !sameAtom(a, b)) return false;
  }
  return true;
}

function sameAtom(a: Atom, b: Atom): boolean {
  if (a.value === b.value) return true;
  return a.kind === "word" && b.kind === "word" && Number(a.value) === Number(b.value);
}
