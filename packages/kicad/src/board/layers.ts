import { child, type List, numbersIn, textAt } from "../sexpr/index.ts";
import type { Layer, LayerKind, Side } from "./model.ts";

const KINDS: readonly (readonly [pattern: RegExp, kind: LayerKind])[] = [
  [/\.Cu$/, "copper"],
  [/\.Mask$/, "mask"],
  [/\.(SilkS|Silkscreen)$/, "silk"],
  [/\.Paste$/, "paste"],
  [/\.(CrtYd|Courtyard)$/, "courtyard"],
  [/\.Fab$/, "fabrication"],
  [/^Edge\.Cuts$/, "outline"],
];

export const kindOfLayer = (name: string): LayerKind => KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? "drawing";

const sideOfLayer = (name: string): Side | undefined =>
  name.startsWith("F.") ? "front" : name.startsWith("B.") ? "back" : undefined;

/** Up to KiCad 5 people could rename copper layers, and items name them so. Numbers are the same in every file. */
const LAST_WITH_OWN_NAMES = 20200000;
const BACK_COPPER = 31;

function ownName(number: number, name: string, version: number): string {
  if (version >= LAST_WITH_OWN_NAMES || number > BACK_COPPER) return name;
  return number === 0 ? "F.Cu" : number === BACK_COPPER ? "B.Cu" : `In${number}.Cu`;
}

export interface Layers {
  readonly all: readonly Layer[];
  /** KiCad's own name of a layer that an item names. */
  nameOf(written: string): string;
  /** The layers that the item of this list is on: `(layer F.Cu)`, `(layers "F.Cu" "*.Mask")`. */
  of(item: List): string[];
  /** The copper layers between two, both included. */
  copperBetween(first: string, last: string): string[];
}

export function readLayers(root: List, version: number): Layers {
  const renamed = new Map<string, string>();
  const all: Layer[] = [];
  for (const node of child(root, "layers")?.items ?? []) {
    if (node.kind !== "list") continue;
    const number = Number(textAt(node, 0));
    const written = textAt(node, 1) ?? "";
    const name = ownName(number, written, version);
    renamed.set(written, name);
    const userName = textAt(node, 3) ?? (written === name ? undefined : written);
    all.push({ name, kind: kindOfLayer(name), side: sideOfLayer(name), userName });
  }
  // From KiCad 9 on the back comes second in the file; here it is last, as in the board.
  const copper = [
    ...all.filter(({ kind, side }) => kind === "copper" && side !== "back"),
    ...all.filter(({ kind, side }) => kind === "copper" && side === "back"),
  ].map(({ name }) => name);
  const named = (written: string): string => renamed.get(written) ?? written;
  const expand = (written: string): string[] => {
    if (written === "F&B.Cu") return ["F.Cu", "B.Cu"];
    if (!written.startsWith("*.")) return [named(written)];
    return all.filter(({ name }) => name.endsWith(written.slice(1))).map(({ name }) => name);
  };
  return {
    all,
    nameOf: named,
    of: (item) =>
      (child(item, "layer") ?? child(item, "layers"))?.items
        .slice(1)
        .flatMap((word) => (word.kind === "list" ? [] : expand(word.value))) ?? [],
    copperBetween(first, last) {
      const [a, b] = [copper.indexOf(first), copper.indexOf(last)].sort((one, other) => one - other);
      return a === undefined || b === undefined || a < 0 ? [first, last] : copper.slice(a, b + 1);
    },
  };
}

/** The thickness of the board: of the file, or what is usual. */
export const thicknessOf = (root: List): number => {
  const [thickness = 1.6] = numbersIn(child(child(root, "general"), "thickness"));
  return thickness > 0.05 && thickness <= 20 ? thickness : 1.6;
};
