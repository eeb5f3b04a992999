import { setImmediate as letOthersRun } from "node:timers/promises";
import { byCodeUnit } from "../../values.ts";
import { SearchIndex } from "../search/search-index.ts";
import { type ListedPackage, listPackage } from "./listed-package.ts";
import type { Changes } from "./read-changes.ts";

/** After this many packages, other requests get their turn. */
const PACKAGES_AT_ONCE = 200;

type Options = { baseUrl: string; brands: readonly string[]; onFault(error: unknown): void };

export type ListedPackages = ReturnType<typeof createListedPackages>;

/** Every listed package, in memory, with the search index over them. */
export function createListedPackages({ baseUrl, brands, onFault }: Options) {
  const packages = new Map<string, ListedPackage>();
  /** Apart from the others, so that nothing public can contain one. */
  const privatePackages = new Map<string, ListedPackage>();
  const search = new SearchIndex();
  /** The revision of every row that was read, by identifier. */
  const revisions = new Map<string, number>();

  /** A row that cannot be read must not keep the others from being served. */
  async function listAll({ packages: rows, versions }: Changes): Promise<ListedPackage[]> {
    const versionsOf = Map.groupBy(versions, ({ identifier_key }) => identifier_key);
    const listed: ListedPackage[] = [];
    for (const [index, row] of rows.entries()) {
      if (index % PACKAGES_AT_ONCE === PACKAGES_AT_ONCE - 1) await letOthersRun();
      try {
        listed.push(listPackage(row, versionsOf.get(row.identifier_key) ?? [], { baseUrl, brands }));
      } catch (error) {
        onFault(error);
      }
    }
    return listed;
  }

  return {
    packages: packages as ReadonlyMap<string, ListedPackage>,
    privatePackages: privatePackages as ReadonlyMap<string, ListedPackage>,
    search,
    inOrder: (): ListedPackage[] =>
      [...packages.values()].sort((a, b) => byCodeUnit(a.package.identifier, b.package.identifier)),

    /** With `isAll`, packages that are not among the changes are removed. False when there is nothing to do. */
    async apply(changes: Changes, isAll: boolean): Promise<boolean> {
      if (isAll) revisions.clear();
      for (const row of changes.packages) revisions.set(row.identifier_key, row.revision);
      if (changes.packages.length === 0 && !isAll) return false;
      const listed = await listAll(changes);
      if (isAll) {
        const keys = new Set(listed.map(({ key }) => key));
        for (const key of packages.keys()) {
          if (keys.has(key)) continue;
          packages.delete(key);
          search.delete(key);
        }
        for (const key of privatePackages.keys()) if (!keys.has(key)) privatePackages.delete(key);
      }
      for (const one of listed) {
        if (one.isPrivate) {
          packages.delete(one.key);
          search.delete(one.key);
          privatePackages.set(one.key, one);
          continue;
        }
        privatePackages.delete(one.key);
        packages.set(one.key, one);
        search.set(one.key, one.package, one.ownerId);
      }
      return true;
    },

    /** Whether the rows that did not change are those that were read before. If not, the tables were restored. */
    isSameExcept({ packages: rows, unchanged }: Changes): boolean {
      let [count, sum] = [revisions.size, 0];
      for (const revision of revisions.values()) sum += revision;
      for (const { identifier_key } of rows) {
        const before = revisions.get(identifier_key);
        if (before === undefined) continue;
        count -= 1;
        sum -= before;
      }
      return count === unchanged.count && sum === unchanged.revisions;
    },
  };
}
