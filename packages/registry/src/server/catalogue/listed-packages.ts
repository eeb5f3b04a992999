import { byCodeUnit } from "../../values.ts";
import { SearchIndex } from "../search/search-index.ts";
import { type ListedPackage, listPackage } from "./listed-package.ts";
import type { Changes, PackageRow, VersionRow } from "./read-changes.ts";

type Options = { baseUrl: string; onFault(error: unknown): void };

export type ListedPackages = ReturnType<typeof createListedPackages>;

/** Every listed package, in memory, with the search index over them. */
export function createListedPackages({ baseUrl, onFault }: Options) {
  const packages = new Map<string, ListedPackage>();
  /** Apart from the others, so that nothing public can contain one. */
  const privatePackages = new Map<string, ListedPackage>();
  const inOrder = createOrder();
  const search = new SearchIndex();
  /** The revision of every row that was read, by identifier. */
  const revisions = new Map<string, number>();

  function remove(key: string): void {
    inOrder.replace(packages.get(key), undefined);
    packages.delete(key);
    search.delete(key);
  }

  return {
    packages: packages as ReadonlyMap<string, ListedPackage>,
    privatePackages: privatePackages as ReadonlyMap<string, ListedPackage>,
    search,
    inOrder: inOrder.all,

    /** Rows as packages. One that cannot be read must not keep the others from being served. */
    list(rows: readonly PackageRow[], versions: readonly VersionRow[]): ListedPackage[] {
      const versionsOf = Map.groupBy(versions, ({ identifier_key }) => identifier_key);
      return rows.flatMap((row) => {
        try {
          return [listPackage(row, versionsOf.get(row.identifier_key) ?? [], baseUrl)];
        } catch (error) {
          onFault(error);
          return [];
        }
      });
    },

    /** With `isAll`, packages that are not among the changed ones are removed. False when there is nothing to do. */
    apply(changes: Changes, listed: readonly ListedPackage[], isAll: boolean): boolean {
      if (isAll) revisions.clear();
      for (const [key, revision] of changes.revisions) revisions.set(key, revision);
      if (changes.revisions.size === 0 && !isAll) return false;
      if (isAll) {
        const keys = new Set(listed.map(({ key }) => key));
        for (const key of packages.keys()) {
          if (keys.has(key)) continue;
          remove(key);
        }
        for (const key of privatePackages.keys()) if (!keys.has(key)) privatePackages.delete(key);
      }
      for (const one of listed) {
        if (one.isPrivate) {
          remove(one.key);
          privatePackages.set(one.key, one);
          continue;
        }
        privatePackages.delete(one.key);
        inOrder.replace(packages.get(one.key), one);
        packages.set(one.key, one);
        search.set(one.key, one.package, one.ownerId);
      }
      return true;
    },

    /** Whether the rows that did not change are those that were read before. If not, the tables were restored. */
    isSameExcept({ revisions: changed, unchanged }: Changes): boolean {
      let [count, sum] = [revisions.size, 0];
      for (const revision of revisions.values()) sum += revision;
      for (const key of changed.keys()) {
        const before = revisions.get(key);
        if (before === undefined) continue;
        count -= 1;
        sum -= before;
      }
      return count === unchanged.count && sum === unchanged.revisions;
    },
  };
}

const byIdentifier = (a: ListedPackage, b: ListedPackage): number =>
  byCodeUnit(a.package.identifier, b.package.identifier);

/** More changes than this, as at the start, are sorted together instead of each being put in its place. */
const FEW_CHANGES = 100;

/** Packages by identifier. */
function createOrder() {
  let sorted: ListedPackage[] = [];
  let removed = new Set<ListedPackage>();
  let added: ListedPackage[] = [];

  /** Where it is, or belongs. */
  function placeOf(one: ListedPackage): number {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (byIdentifier(sorted[middle] as ListedPackage, one) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    replace(before: ListedPackage | undefined, after: ListedPackage | undefined): void {
      if (before) removed.add(before);
      if (after) added.push(after);
    },
    all(): readonly ListedPackage[] {
      if (removed.size + added.length > FEW_CHANGES) {
        sorted = [...sorted, ...added].filter((one) => !removed.has(one)).sort(byIdentifier);
      } else {
        const kept = added.filter((one) => !removed.has(one));
        for (const one of removed) if (sorted[placeOf(one)] === one) sorted.splice(placeOf(one), 1);
        for (const one of kept) sorted.splice(placeOf(one), 0, one);
      }
      [removed, added] = [new Set(), []];
      return sorted;
    },
  };
}
