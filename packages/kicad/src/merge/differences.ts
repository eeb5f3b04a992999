import { type List, type Node, nameOf, readTree, type Splice, textAt, textOf } from "../sexpr/index.ts";

/** Names the same thing in two versions of a file: by uuid, by its first word, or by its place among its like. */
function keysOf(list: List): string[] {
  const counts = new Map<string, number>();
  return list.items.map((item) => {
    const key = item.kind === "list" ? keyOf(item) : "word";
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return `${key} ${count}`;
  });
}

/** Of positions, `(at …)` and `(xy …)`, and of lists that begin with a list the name alone says which it is. */
function keyOf(list: List): string {
  const own = textOf(list, "uuid") ?? (isPlain(list) ? undefined : textAt(list, 1));
  return own === undefined ? `${nameOf(list)}` : `${nameOf(list)} ${own}`;
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
  for (const [place, key] of newKeys.entries()) {
    const item = to.items[place];
    const old = from.items[placeOf.get(key) ?? -1];
    if (!item) continue;
    if (old) {
      compare(old, item, sides);
      end = old.end;
    } else {
      // Each on its own, so that what both sides added, such as the definition of a symbol, is seen as the same.
      const text = sides.after.slice(to.items[place - 1]?.end ?? to.start + 1, item.end);
      sides.splices.push({ start: end, end, text });
    }
  }
  return true;
}

/** The splices that make one version of a file into another, each as small as the thing that changed. */
export function spliceBetween(before: string, after: string): Splice[] {
  const splices: Splice[] = [];
  compare(readTree(before), readTree(after), { before, after, splices });
  return splices.sort((a, b) => a.start - b.start || a.end - b.end);
}
