import { LIST, markOfWord, type Tree, WORD } from "./tree.ts";

/** A part of a text, and which node of its tree it is. */
class Place {
  readonly tree: Tree;
  readonly at: number;

  constructor(tree: Tree, at: number) {
    this.tree = tree;
    this.at = at;
  }

  get start(): number {
    return this.tree.start(this.at);
  }

  get end(): number {
    return this.tree.end(this.at);
  }
}

/** A word (`yes`, `12.7`) or a quoted string. `value` is its meaning, the span is where it is written. */
export class Atom extends Place {
  get kind(): "word" | "string" {
    return this.tree.isString(this.at) ? "string" : "word";
  }

  get value(): string {
    return this.tree.value(this.at);
  }
}

/** A list in parentheses. By KiCad's convention its first item is the list's name. */
export class List extends Place {
  #items: readonly Node[] | undefined;

  get kind(): "list" {
    return "list";
  }

  get items(): readonly Node[] {
    this.#items ??= itemsIn(this);
    return this.#items;
  }
}

export type Node = Atom | List;

function itemsIn({ tree, at }: List): Node[] {
  const items: Node[] = [];
  const end = tree.after(at);
  for (let node = at + 1; node < end; node = tree.after(node))
    items.push(tree.isList(node) ? new List(tree, node) : new Atom(tree, node));
  return items;
}

export const isList = (node: Node | undefined): node is List => node?.kind === "list";

export const nameOf = (node: Node | undefined): string | undefined => (isList(node) ? textAt(node, 0) : undefined);

/** The first list of that name inside `list`. */
export function child(list: List | undefined, name: string): List | undefined {
  if (list === undefined) return undefined;
  const { tree, at } = list;
  const node = tree.find(name, at + 1, tree.after(at));
  return node === -1 ? undefined : new List(tree, node);
}

/** All lists of that name inside `list`, in the order of the file. */
export function children(list: List | undefined, name: string): List[] {
  const found: List[] = [];
  if (list === undefined) return found;
  const { tree, at } = list;
  const end = tree.after(at);
  for (let node = tree.find(name, at + 1, end); node !== -1; node = tree.find(name, tree.after(node), end))
    found.push(new List(tree, node));
  return found;
}

/** The number of the node at that place in a list, or undefined when it is a list itself or when there are fewer. */
function atomIn({ tree, at }: List, index: number): number | undefined {
  const end = tree.after(at);
  let node = at + 1;
  for (let left = index; left > 0 && node < end; left--) node = tree.after(node);
  return node >= end || tree.isList(node) ? undefined : node;
}

export function atomAt(list: List | undefined, index: number): Atom | undefined {
  const node = list && atomIn(list, index);
  return list === undefined || node === undefined ? undefined : new Atom(list.tree, node);
}

export function textAt(list: List | undefined, index: number): string | undefined {
  const node = list && atomIn(list, index);
  return node === undefined ? undefined : list?.tree.value(node);
}

/** The first value of the list named `name`: `(uuid "x")` → `x`. */
export const textOf = (list: List | undefined, name: string): string | undefined => textAt(child(list, name), 1);

/** The atoms after the name that are numbers. What is not a number is left out. */
export function numbersIn(list: List | undefined): number[] {
  const numbers: number[] = [];
  if (list === undefined) return numbers;
  const { tree, at } = list;
  const end = tree.after(at);
  for (let node = nextIn(tree, at + 1, end); node < end; node = tree.after(node)) {
    const value = tree.number(node);
    if (Number.isFinite(value)) numbers.push(value);
  }
  return numbers;
}

/** The number at that place among the numbers of a list, from 0; 0 when there are fewer, unless told. */
export function numberIn(list: List | undefined, place: number, fallback = 0): number {
  if (list === undefined) return fallback;
  const { tree, at } = list;
  const end = tree.after(at);
  let left = place;
  for (let node = nextIn(tree, at + 1, end); node < end; node = tree.after(node)) {
    const value = tree.number(node);
    if (Number.isFinite(value) && left-- === 0) return value;
  }
  return fallback;
}

const nextIn = (tree: Tree, node: number, end: number): number => (node < end ? tree.after(node) : end);

/** Whether `list` has the word itself, or a list of that name that does not say no: `hide`, `(hide)`, `(hide yes)`. */
export function flag(list: List | undefined, name: string): boolean {
  if (list === undefined) return false;
  const { tree, at } = list;
  const end = tree.after(at);
  const mark = markOfWord(name);
  for (let node = at + 1; node < end; node = tree.after(node)) {
    const found = tree.mark(node);
    if (found === (WORD | mark) && tree.says(node, name)) return true;
    if (found === (LIST | mark) && tree.says(node + 1, name)) return textAt(new List(tree, node), 1) !== "no";
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
