import { atomAt, child, children, type List, numbersIn, textAt } from "../sexpr/index.ts";
import { distance } from "./lines.ts";
import type { Board } from "./model.ts";

/** The nets of a file by number, as up to KiCad 9, or by name alone. */
export interface NetTable {
  readonly names: readonly string[];
  /** The place of the net that an item names, or -1. */
  of(item: List): number;
}

export function readNetTable(root: List): NetTable {
  const names: string[] = [];
  const byName = new Map<string, number>();
  const byNumber = new Map<string, number>();
  const placeOf = (name: string): number => {
    if (name === "") return -1;
    const known = byName.get(name);
    if (known !== undefined) return known;
    byName.set(name, names.length);
    return names.push(name) - 1;
  };
  for (const net of children(root, "net")) byNumber.set(textAt(net, 1) ?? "", placeOf(textAt(net, 2) ?? ""));
  return {
    names,
    of(item) {
      const net = child(item, "net");
      const first = atomAt(net, 1);
      if (first === undefined) return -1;
      const isNumber = first.kind === "word" && numbersIn(net).length > 0;
      return isNumber && byNumber.has(first.value)
        ? (byNumber.get(first.value) ?? -1)
        : placeOf(textAt(net, 2) ?? first.value);
    },
  };
}

export interface NetFacts {
  readonly name: string;
  readonly padCount: number;
  readonly viaCount: number;
  /** Of its tracks together. */
  readonly lengthMm: number;
  /** The width of its narrowest track; undefined without tracks. */
  readonly narrowestMm: number | undefined;
}

/** What the board has of each net, in the order of its list. */
export function netFacts(board: Board): NetFacts[] {
  const facts = board.nets.map((name) => ({
    name,
    padCount: 0,
    viaCount: 0,
    lengthMm: 0,
    narrowestMm: Number.POSITIVE_INFINITY,
  }));
  for (const { net } of board.pads) {
    const own = facts[net];
    if (own) own.padCount++;
  }
  for (const { net } of board.vias) {
    const own = facts[net];
    if (own) own.viaCount++;
  }
  for (const { net, points, widthMm } of board.tracks) {
    const own = facts[net];
    if (!own) continue;
    own.narrowestMm = Math.min(own.narrowestMm, widthMm);
    for (const [place, point] of points.entries()) {
      const before = points[place - 1];
      if (before) own.lengthMm += distance(before, point);
    }
  }
  return facts.map((own) => ({ ...own, narrowestMm: Number.isFinite(own.narrowestMm) ? own.narrowestMm : undefined }));
}
