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
import { spliceBetween } from "./differences.ts";

export type Side = "mine" | "theirs";

/** Something that two people changed in different ways. */
export interface Conflict {
  /** Of the item; undefined for what is not an item, such as the title block. */
  readonly uuid: string | undefined;
  /** The name of its list: `symbol`, `wire`, `title_block`. */
  readonly list: string;
  /** What of it: `place`, `text`, the name of a field as `field Value`, or `rest`. Several where one side changed more. */
  readonly aspects: readonly string[];
}

/** What two people made of one file. */
export interface Comparison {
  readonly conflicts: readonly Conflict[];
  /** How many changes fit together without a decision. */
  readonly merged: number;
  /** The file with all changes; `choose` decides the conflicts, by their number. */
  readonly merge: (choose: (conflict: number) => Side) => string;
}

type Change = { side: Side; splice: Splice; owner: List | undefined; aspect: string };

/** Compares what two people made of one file; undefined when one of the texts cannot be read. */
export function compareTexts(base: string, mine: string, theirs: string): Comparison | undefined {
  try {
    const root = readTree(base);
    const [own, other] = [spliceBetween(base, mine), spliceBetween(base, theirs)];
    const rest = own.filter((splice) => !other.some((each) => isSame(each, splice)));
    const described = (side: Side) => (splice: Splice) => ({ side, splice, ...aboutOf(root, splice) });
    const groups = groupsOf([...rest.map(described("mine")), ...other.map(described("theirs"))]);
    const disputed = groups.filter(isDisputed);
    const conflicts = disputed.map(conflictOf);
    return {
      conflicts,
      merged: groups.length - disputed.length,
      merge: (choose) => {
        const dropped = new Set(
          disputed.flatMap((group, place) =>
            group.filter(({ side }) => side !== choose(place)).map(({ splice }) => splice),
          ),
        );
        const kept = (splices: readonly Splice[]) => splices.filter((splice) => !dropped.has(splice));
        const rebased = rebaseSplices(kept(rest), kept(other));
        if (rebased === undefined) throw new Error("changes that were decided overlap");
        const merged = applySplices(applySplices(base, kept(other)), rebased);
        readTree(merged);
        return merged;
      },
    };
  } catch (error) {
    if (error instanceof FileFault) return undefined;
    throw error;
  }
}

const isSame = (a: Splice, b: Splice): boolean => a.start === b.start && a.end === b.end && a.text === b.text;

/** As `rebaseSplices` sees it: insertions at one place do not exclude each other. */
const overlap = (a: Splice, b: Splice): boolean =>
  a.start === a.end && b.start === b.end ? false : a.start < b.end && b.start < a.end;

/** Changes of one aspect of one item belong together, and so do those that overlap: a decision is about all of them. */
function groupsOf(changes: readonly Change[]): Change[][] {
  const groupOf = new Map<Change, Change[]>();
  const join = (a: Change, b: Change) => {
    const [one, two] = [groupOf.get(a) ?? [a], groupOf.get(b) ?? [b]];
    if (one === two) return;
    one.push(...two);
    for (const change of two) groupOf.set(change, one);
  };
  const firstOf = new Map<string, Change>();
  for (const change of changes) {
    groupOf.set(change, [change]);
    if (!change.owner || isInsertion(change)) continue;
    const key = `${change.owner.start} ${change.aspect}`;
    const first = firstOf.get(key);
    if (first) join(first, change);
    else firstOf.set(key, change);
  }
  const sorted = changes.toSorted((a, b) => a.splice.start - b.splice.start || b.splice.end - a.splice.end);
  let widest: Change | undefined;
  for (const change of sorted) {
    if (widest && overlap(widest.splice, change.splice)) join(widest, change);
    if (!widest || change.splice.end > widest.splice.end) widest = change;
  }
  return [...new Set(groupOf.values())];
}

/** New fields and the like stand beside each other. */
const isInsertion = ({ splice }: Change): boolean => splice.start === splice.end;

function isDisputed(group: readonly Change[]): boolean {
  const [own, other] = (["mine", "theirs"] as const).map((side) => group.filter((change) => change.side === side));
  return (own ?? []).some((a) => (other ?? []).some((b) => overlap(a.splice, b.splice)));
}

function conflictOf(group: readonly Change[]): Conflict {
  const owner = group.find((change) => change.owner)?.owner;
  const aspects = [...new Set(group.map(({ aspect }) => aspect))];
  return { uuid: textOf(owner, "uuid"), list: nameOf(owner) ?? "", aspects };
}

const PLACES = new Set(["at", "pts", "start", "mid", "end", "center", "size", "mirror"]);

/** Which item a change is about, and what of it. */
function aboutOf(root: Node, splice: Splice): { owner: List | undefined; aspect: string } {
  const way: List[] = [];
  for (let list = root.kind === "list" ? root : undefined; list; ) {
    way.push(list);
    list = list.items.find(
      (item): item is List => item.kind === "list" && item.start <= splice.start && splice.end <= item.end,
    );
  }
  // A change that is not inside one list of the file, but removes one with the space before it.
  const owner = way[1] ?? removedBy(way[0], splice);
  if (way.length < 2) return { owner, aspect: "rest" };
  const names = way.slice(2).map((list) => nameOf(list) ?? "");
  const property = way.find((list) => nameOf(list) === "property");
  if (names.some((name) => PLACES.has(name))) return { owner, aspect: "place" };
  if (names.includes("reference")) return { owner, aspect: "field Reference" };
  if (property) return { owner, aspect: `field ${textAt(property, 1) ?? ""}` };
  return { owner, aspect: names.length === 0 && isText(owner, splice) ? "text" : "rest" };
}

const removedBy = (root: List | undefined, { start, end }: Splice): List | undefined =>
  root?.items.find((item): item is List => item.kind === "list" && start <= item.start && item.end <= end);

/** The second word of a label or text is what it says. */
const isText = (owner: List | undefined, { start, end }: Splice): boolean => {
  const word = owner?.items[1];
  return word?.kind === "string" && word.start <= start && end <= word.end;
};
