import { readdir } from "node:fs/promises";
import { BoundedMap } from "@backplane/kit/bounded-map";
import { nameInFile, numbered } from "./storage/file-names.ts";

/** Names that nobody has, for as long as they are worked with. */
export type FreeNames = {
  /**
   * Tries the name, then it with one number after the other, until `take` could have one. Nobody else of this process is
   * given that name meanwhile. Undefined: none of as many as are tried.
   */
  withFree<T>(first: string, base: string, take: (name: string) => Promise<T | "taken">): Promise<T | undefined>;
  /** Whether another screenshot has the name, or is about to. */
  isTaken(name: string): boolean;
};

type Options = {
  pairsFolder: string;
  isUsed: (name: string) => boolean;
  maxRememberedNames: number;
  maxNamesTried: number;
};

export function createFreeNames({ pairsFolder, isUsed, maxRememberedNames, maxNamesTried }: Options): FreeNames {
  const reserved = new Set<string>();
  /** The last number that was given to each name: without it, the thousandth of a name would try 999 others first. */
  const lastNumbers = new BoundedMap<string, number>({ maxEntries: maxRememberedNames });

  /** Looked up once for all that ask at the same time. */
  const lookups = new Map<string, Promise<number>>();

  async function nextNumber(base: string): Promise<number> {
    if (lastNumbers.get(base) === undefined) {
      const lookup = lookups.get(base) ?? lastNumberOf(base).finally(() => lookups.delete(base));
      lookups.set(base, lookup);
      const found = await lookup;
      lastNumbers.set(base, Math.max(found, lastNumbers.get(base) ?? 0));
    }
    const next = (lastNumbers.get(base) ?? 1) + 1;
    lastNumbers.set(base, next);
    return next;
  }

  async function lastNumberOf(base: string): Promise<number> {
    const there = new Set((await readdir(pairsFolder)).map(nameInFile));
    let number = 1;
    while (there.has(numbered(base, number + 1)) || isUsed(numbered(base, number + 1))) number += 1;
    return number;
  }

  const isTaken = (name: string): boolean => reserved.has(name) || isUsed(name);

  return {
    isTaken,
    async withFree(first, base, take) {
      let name = first;
      for (let tried = 0; tried < maxNamesTried; tried += 1) {
        if (!isTaken(name)) {
          reserved.add(name);
          try {
            const taken = await take(name);
            if (taken !== "taken") return taken;
          } finally {
            reserved.delete(name);
          }
        }
        name = numbered(base, await nextNumber(base));
      }
      return undefined;
    },
  };
}
