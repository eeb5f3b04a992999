import { meets } from "./boxes.ts";
import type { Box } from "./primitives.ts";

const CELL_MM = 16;
/** What covers more cells than this is looked at in every search. */
const MAX_CELLS = 1_024;

/** Finds things by where they are. */
export type SpatialIndex<Thing> = { find(box: Box): Thing[] };

/** What is found comes in the order of the list. */
export function createSpatialIndex<Thing extends { box: Box }>(things: readonly Thing[]): SpatialIndex<Thing> {
  const cells = new Map<string, number[]>();
  const everywhere: number[] = [];
  const rangeOf = ({ left, top, right, bottom }: Box) => ({
    ...{ fromX: Math.floor(left / CELL_MM), toX: Math.floor(right / CELL_MM) },
    ...{ fromY: Math.floor(top / CELL_MM), toY: Math.floor(bottom / CELL_MM) },
  });
  const sizeOf = ({ fromX, toX, fromY, toY }: ReturnType<typeof rangeOf>) => (toX - fromX + 1) * (toY - fromY + 1);

  for (const [place, { box }] of things.entries()) {
    const range = rangeOf(box);
    // Written so that a box that is not a number is looked at everywhere, too.
    if (!(sizeOf(range) <= MAX_CELLS)) {
      everywhere.push(place);
      continue;
    }
    for (let x = range.fromX; x <= range.toX; x += 1)
      for (let y = range.fromY; y <= range.toY; y += 1) {
        const key = `${x},${y}`;
        const cell = cells.get(key);
        if (cell) cell.push(place);
        else cells.set(key, [place]);
      }
  }

  return {
    find(box) {
      const range = rangeOf(box);
      const places = new Set(everywhere);
      if (sizeOf(range) <= cells.size) {
        for (let x = range.fromX; x <= range.toX; x += 1)
          for (let y = range.fromY; y <= range.toY; y += 1)
            for (const place of cells.get(`${x},${y}`) ?? []) places.add(place);
      } else for (const cell of cells.values()) for (const place of cell) places.add(place);
      return [...places]
        .sort((a, b) => a - b)
        .flatMap((place) => {
          const thing = things[place];
          return thing && meets(thing.box, box) ? [thing] : [];
        });
    },
  };
}
