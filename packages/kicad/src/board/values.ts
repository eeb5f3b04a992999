import type { Point } from "../schematic/geometry.ts";
import { child, faultAt, type List, numberIn, numbersIn } from "../sexpr/index.ts";

/** Farther from the origin, or wider, nothing of a board can be. KiCad's own limit is about 2 m. */
export const MAX_MM = 10_000;
/** Points of a board, at most. A board with large zones has about 200,000. */
export const MAX_POINTS = 4_000_000;

/** Reads numbers of one file within limits. Each function throws a FileFault that names the place. */
export interface Values {
  /** The first two numbers of a list. */
  point(list: List | undefined, owner: List): Point;
  /** The first two numbers of the list `name` in `owner`. */
  pointOf(owner: List, name: string): Point;
  /** The first number of the list `name` in `owner`: a width, a size or a diameter. */
  length(owner: List, name: string, fallback?: number): number;
  /** Any numbers of the list `name` in `owner`, within the limit of lengths. */
  numbers(owner: List | undefined, name: string): number[];
  /** Counts points that were made. */
  count(points: number, owner: List): void;
}

export function createValues(text: string): Values {
  let counted = 0;
  const checked = (value: number, owner: List): number => {
    if (Math.abs(value) <= MAX_MM) return value;
    throw faultAt(text, owner.start, `A number of this item is beyond the limit of ${MAX_MM} mm`);
  };
  const values: Values = {
    point(list, owner) {
      const [x, y] = [numberIn(list, 0, Number.NaN), numberIn(list, 1, Number.NaN)];
      if (Number.isNaN(x) || Number.isNaN(y)) throw faultAt(text, owner.start, "This item does not say where it is");
      return { x: checked(x, owner), y: checked(y, owner) };
    },
    pointOf: (owner, name) => values.point(child(owner, name), owner),
    length: (owner, name, fallback = 0) => Math.abs(checked(numberIn(child(owner, name), 0, fallback), owner)),
    numbers: (owner, name) =>
      owner === undefined ? [] : numbersIn(child(owner, name)).map((value) => checked(value, owner)),
    count(points, owner) {
      counted += points;
      if (counted > MAX_POINTS) {
        throw faultAt(text, owner.start, `The board has more than ${MAX_POINTS} points, which is the limit`);
      }
    },
  };
  return values;
}
