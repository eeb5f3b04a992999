import { EXIT } from "@backplane/contract/problems";
import type { Package } from "@backplane/contract/registry";
import { SIGNING_LIMITS } from "../../signing/signed-index.ts";
import { ManagerFault } from "../faults.ts";
import type { ListWarning, Progress, Refreshed, RepositoryName } from "../manager-types.ts";
import type { Configured } from "./configured.ts";
import { checkRepository, fetchList, type ListSources, readListOf } from "./fetch-list.ts";

/** A repository and its list; `listed` is undefined if it could not be read or failed verification. */
export type RepositoryList = Refreshed & {
  listed: ReadonlyMap<string, Package> | undefined;
  /** Its signed index has expired, and no newer one could be downloaded. */
  isExpired: boolean;
};

/** Lists are not refreshed again within this time. */
const FRESH_MS = 60_000;

export type Lists = {
  /** In the order of the repositories; refreshed unless that was just done. */
  all(): Promise<RepositoryList[]>;
  refresh(): Promise<RepositoryList[]>;
  /** Only cached lists. */
  atHand(): Promise<RepositoryList[]>;
  one(repository: RepositoryName): Promise<RepositoryList>;
  forget(): void;
};

export function openLists(
  sources: ListSources,
  configured: Configured,
  onProgress: (progress: Progress) => void = () => {},
): Lists {
  let asked: { atMs: number; lists: Promise<RepositoryList[]> } | undefined;

  const refresh = (): Promise<RepositoryList[]> => {
    const lists = refreshAll();
    asked = { atMs: sources.now(), lists };
    lists.catch(() => {
      asked = undefined;
    });
    return lists;
  };
  async function refreshAll(): Promise<RepositoryList[]> {
    const repositories = await configured.all();
    let done = 0;
    return await Promise.all(
      repositories.map(async (repository) => {
        const list = await refreshOne(sources, repository);
        done += 1;
        onProgress({ kind: "refresh", repository: repository.name, done, total: repositories.length });
        return list;
      }),
    );
  }
  return {
    refresh,
    all: async () => {
      const isFresh = asked !== undefined && Math.abs(sources.now() - asked.atMs) < FRESH_MS;
      return await (asked && isFresh ? asked.lists : refresh());
    },
    atHand: async () => {
      const repositories = await configured.all();
      return await Promise.all(
        repositories.map(async (repository) => (await fromCache(sources, repository)) ?? without(repository)),
      );
    },
    one: (repository) => refreshOne(sources, repository),
    forget: () => {
      asked = undefined;
    },
  };
}

const without = (repository: RepositoryName, fault?: ManagerFault): RepositoryList => ({
  ...repository,
  state: "refused",
  packages: 0,
  warnings: [],
  listed: undefined,
  isExpired: false,
  ...(fault ? { fault } : {}),
});

async function refreshOne(sources: ListSources, repository: RepositoryName): Promise<RepositoryList> {
  try {
    const list = await fetchCurrent(sources, repository);
    return {
      ...repository,
      state: list.isNew ? "new" : "same",
      packages: list.packages.size,
      checkedAtMs: list.cached.checkedAtMs,
      warnings: list.warnings,
      listed: list.packages,
      isExpired: false,
    };
  } catch (error) {
    if (!(error instanceof ManagerFault) || error.code === "aborted") throw error;
    const isAway = error.exitCode === EXIT.unreachable;
    const cached = isAway ? await fromCache(sources, repository) : undefined;
    return cached ? { ...cached, fault: error } : without(repository, error);
  }
}

/** Somebody may publish between the two downloads: on a mismatch, try once more without caches. */
export async function fetchCurrent(sources: ListSources, repository: RepositoryName) {
  try {
    return await fetchList(sources, repository, false);
  } catch (error) {
    if (!(error instanceof ManagerFault) || error.code !== "packages-sha256") throw error;
    return await fetchList(sources, repository, true);
  }
}

/** Ignores cached lists that would fail verification now. */
async function fromCache(sources: ListSources, repository: RepositoryName): Promise<RepositoryList | undefined> {
  try {
    return await readCached(sources, repository);
  } catch (error) {
    if (error instanceof ManagerFault) return undefined;
    throw error;
  }
}

async function readCached(sources: ListSources, repository: RepositoryName): Promise<RepositoryList | undefined> {
  const { cache, now } = sources;
  const known = await cache.read(repository.id);
  const bytes = known && (await cache.readPackages(repository.id, known.packages.sha256));
  if (!known || !bytes) return undefined;
  const list = readListOf(sources, repository, checkRepository(known.repository, repository).repository, bytes);
  const isExpired = known.expiresS !== undefined && known.expiresS < now() / 1_000 - SIGNING_LIMITS.toleranceS;
  const age: ListWarning = {
    level: "warning",
    rule: "list-old",
    message: `${repository.name} cannot be reached. Its list is ${ageInWords(now() - known.checkedAtMs)} old.`,
  };
  return {
    ...repository,
    state: "cached",
    packages: list.packages.size,
    checkedAtMs: known.checkedAtMs,
    warnings: [age, ...list.warnings],
    listed: list.packages,
    isExpired,
  };
}

const MINUTE_MS = 60_000;

function ageInWords(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / MINUTE_MS));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
