import { readdir } from "node:fs/promises";
import { BoundedMap } from "@backplane/kit/bounded-map";
import { nameInFile, numbered } from "./storage/file-names.ts";

/** Finds names that no screenshot has. */
export type FreeNames = {
  /**
   * Calls `take` with the name, then with numbered names, until `take` does not return "taken". While `take` runs, no other
   * caller gets the same name. Undefined: all `maxNamesTried` names were taken.
   */
  withFree<T>(first: string, base: string, take: (name: string) => Promise<T | "taken">): Promise<T | undefined>;
  /** Whether a screenshot has the name, or is about to get it. */
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
  /** The last number of each name. Without it, the thousandth screenshot of a name would try 999 names first. */
  const lastNumbers = new BoundedMap<string, number>({ maxEntries: maxRememberedNames });

  /** Concurrent callers share a lookup. */
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
    const onDisk = new Set((await readdir(pairsFolder)).map(nameInFile));
    let number = 1;
    while (onDisk.has(numbered(base, number + 1)) || isUsed(numbered(base, number + 1))) number += 1;
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
