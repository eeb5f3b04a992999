import type { Layer, Side } from "@backplane/kicad/board";

/** Parts are not a layer of the file, and are switched like one. */
export const PARTS: Readonly<Record<Side, string>> = { front: "Parts, front", back: "Parts, back" };

const KINDS: Readonly<Record<Layer["kind"], string>> = {
  ...{ copper: "Copper", mask: "Solder mask", silk: "Silkscreen", paste: "Paste", courtyard: "Courtyard" },
  ...{ fabrication: "Fabrication", outline: "Outline", drawing: "Drawings" },
};
const ON_AT_FIRST: ReadonlySet<Layer["kind"]> = new Set(["copper", "mask", "silk"]);
const SHOWN_FIRST: readonly Layer["kind"][] = [
  "silk",
  "mask",
  "copper",
  "paste",
  "fabrication",
  "courtyard",
  "drawing",
];

/** What a layer is called here, with its name in the file. */
export function layerWords({ name, kind, side, userName }: Layer): string {
  const inner = /^In(\d+)\.Cu$/.exec(name)?.[1];
  const own = userName === undefined || userName === name ? "" : ` (${userName})`;
  if (inner !== undefined) return `Copper, inner ${inner}${own}`;
  if (side === undefined) return kind === "drawing" ? (userName ?? name) : `${KINDS[kind]}${own}`;
  return `${KINDS[kind]}, ${side}`;
}

export type LayerRow = { name: string; words: string };

/** The switches of a board: the front, what is between, the back. Those that carry nothing to see here are left out. */
export function layerRows(layers: readonly Layer[]): LayerRow[] {
  const rowsOf = (side: Side | undefined): LayerRow[] =>
    layers
      .filter((layer) => layer.side === side && layer.kind !== "outline" && !/\.Adhes(ive)?$/.test(layer.name))
      .toSorted((a, b) => SHOWN_FIRST.indexOf(a.kind) - SHOWN_FIRST.indexOf(b.kind))
      .map((layer) => ({ name: layer.name, words: layerWords(layer) }));
  return [
    { name: PARTS.front, words: PARTS.front },
    ...rowsOf("front"),
    ...rowsOf(undefined),
    ...rowsOf("back"),
    { name: PARTS.back, words: PARTS.back },
  ];
}

/** What is on until somebody changes it: both sides as they are made, not what is inside. */
export const firstLayers = (layers: readonly Layer[]): string[] => [
  ...Object.values(PARTS),
  ...layers.filter(({ kind, side }) => side !== undefined && ON_AT_FIRST.has(kind)).map(({ name }) => name),
];
