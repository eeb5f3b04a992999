/** Numbers that are the same in every run: mulberry32. */
export function createRandom(seed: number): {
  below(limit: number): number;
  pick<Thing>(things: readonly Thing[]): Thing;
} {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  const pick = <Thing>(things: readonly Thing[]): Thing => {
    const thing = things[below(things.length)];
    if (thing === undefined) throw new RangeError("There is nothing to pick from");
    return thing;
  };
  return { below, pick };
}

/** Uuids that are the same in every run. */
export function createUuids(): () => string {
  let count = 0;
  return () => `ffffffff-0000-4000-8000-${String(++count).padStart(12, "0")}`;
}
