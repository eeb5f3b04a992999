import {
  applySplices,
  FileFault,
  type List,
  type Node,
  nameOf,
  readTree,
  rebaseSplices,
  type Splice,
  textAt,
  textOf,
} from "../sexpr/index.ts";

/** Names the same thing in two versions of a file: by uuid, by its first word, or by its place among its like. */
function keysOf(list: List): string[] {
  const counts = new Map<string, number>();
  return list.items.map((item) => {
    const own = item.kind === "list" ? `${nameOf(item)} ${textOf(item, "uuid") ?? textAt(item, 1) ?? ""}` : "word";
    // Of two positions, `(at …)` and `(xy …)`, the name alone says which it is.
    const key = item.kind === "list" && textOf(item, "uuid") === undefined && isPlain(item) ? `${nameOf(item)}` : own;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return `${key} ${count}`;
  });
}

const isPlain = (list: List): boolean => list.items.every(({ kind }) => kind === "word");

type Sides = { before: string; after: string; splices: Splice[] };

function compare(from: Node, to: Node, sides: Sides): void {
  const { before, after, splices } = sides;
  const text = after.slice(to.start, to.end);
  if (before.slice(from.start, from.end) === text) return;
  if (from.kind !== "list" || to.kind !== "list" || !compareLists(from, to, sides))
    splices.push({ start: from.start, end: from.end, text });
}

/** False when the parts came into another order: then the whole list is what changed. */
function compareLists(from: List, to: List, sides: Sides): boolean {
  const [oldKeys, newKeys] = [keysOf(from), keysOf(to)];
  const [olds, news] = [new Set(oldKeys), new Set(newKeys)];
  const kept = newKeys.filter((key) => olds.has(key));
  if (kept.length === 0 || kept.join("\n") !== oldKeys.filter((key) => news.has(key)).join("\n")) return false;
  const placeOf = new Map(oldKeys.map((key, place) => [key, place]));

  for (const [place, key] of oldKeys.entries()) {
    const item = from.items[place];
    // What was between it and the one before goes with it.
    const start = from.items[place - 1]?.end ?? from.start + 1;
    if (item && !news.has(key)) sides.splices.push({ start, end: item.end, text: "" });
  }
  let end = from.start + 1;
  let added = "";
  const insert = () => {
    if (added !== "") sides.splices.push({ start: end, end, text: added });
    added = "";
  };
  for (const [place, key] of newKeys.entries()) {
    const item = to.items[place];
    const old = from.items[placeOf.get(key) ?? -1];
    if (!item) continue;
    if (!old) added += sides.after.slice(to.items[place - 1]?.end ?? to.start + 1, item.end);
    else {
      insert();
      compare(old, item, sides);
      end = old.end;
    }
  }
  insert();
  return true;
}

/** The splices that make one version of a file into another, each as small as the thing that changed. */
export function spliceBetween(before: string, after: string): Splice[] {
  const splices: Splice[] = [];
  compare(readTree(before), readTree(after), { before, after, splices });
  return splices.sort((a, b) => a.start - b.start || a.end - b.end);
}

const isSame = (a: Splice, b: Splice): boolean => a.start === b.start && a.end === b.end && a.text === b.text;

/** What two people made of one file, together; undefined when they changed the same thing in different ways. */
export function mergeTexts(base: string, mine: string, theirs: string): string | undefined {
  try {
    const [own, other] = [spliceBetween(base, mine), spliceBetween(base, theirs)];
    const rest = own.filter((splice) => !other.some((each) => isSame(each, splice)));
    const rebased = rebaseSplices(rest, other);
    if (rebased === undefined) return undefined;
    const merged = applySplices(theirs, rebased);
    readTree(merged);
    return merged;
  } catch (error) {
    // One of them is not a file that can be read.
    if (error instanceof FileFault) return undefined;
    throw error;
  }
}
