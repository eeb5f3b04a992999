import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Bus, Unsubscribe } from "@backplane/kit/bus";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { byCodeUnit } from "../../values.ts";
import { countStart, isDueForRenewal, renewStatement } from "../keys/index-state.ts";
import { createSearchIndex, type SearchIndex } from "../search/search-index.ts";
import type { RegistryTables } from "../tables.ts";
import type { IndexFile } from "./index-file.ts";
import { type ListedPackage, listPackage } from "./listed-package.ts";
import { type Changes, NEVER, readChanges, readRevision } from "./read-changes.ts";
import { type IndexFiles, namedFiles, type Snapshot, sealSnapshot, writeFiles } from "./snapshot.ts";

/** Told to all instances when something was published. Its loss costs a poll's time. */
const CHANNEL = "registry:changed";
const POLL_EVERY_MS = 2_000;
/** After so many packages others get their turn. */
const PACKAGES_AT_ONCE = 200;
/** Whoever asks for repository.json waits no longer for the newest. */
const MAX_FRESH_WAIT_MS = 10_000;

type CatalogueOptions = {
  database: Database<RegistryTables>;
  bus: Bus;
  brands: readonly string[];
  baseUrl: string;
  name: string;
  now: Clock;
  /** Called before a snapshot is served; what it names must be readable everywhere when it resolves. */
  keep(files: readonly IndexFile[]): Promise<void>;
  onServed(snapshot: Snapshot, before: Snapshot | undefined): void;
  onFault(error: unknown): void;
};

export type Catalogue = Awaited<ReturnType<typeof openCatalogue>>;

/** What is listed, in memory: read from the tables once, then only what changed. */
export async function openCatalogue(options: CatalogueOptions) {
  const { database, bus, brands, baseUrl, name, now, keep, onServed, onFault } = options;
  const packages = new Map<string, ListedPackage>();
  const search: SearchIndex = createSearchIndex();
  /** Of every row that was read, by identifier. */
  const revisions = new Map<string, number>();
  let readUpTo = NEVER;
  let files: IndexFiles | undefined;
  let writtenAt = { resourcesTimestamp: NEVER, manifestsTimestamp: NEVER };
  let snapshot: Snapshot | undefined;
  let isKept = false;
  let isFailing = false;
  let isClosed = false;

  async function take({ packages: rows, versions }: Changes, isAll: boolean): Promise<boolean> {
    if (rows.length === 0 && !isAll) return false;
    const versionsOf = Map.groupBy(versions, ({ identifier_key }) => identifier_key);
    const listed: ListedPackage[] = [];
    for (const [index, row] of rows.entries()) {
      if (index % PACKAGES_AT_ONCE === PACKAGES_AT_ONCE - 1) await yieldToOthers();
      try {
        listed.push(listPackage(row, versionsOf.get(row.identifier_key) ?? [], { baseUrl, brands }));
      } catch (error) {
        // One row that cannot be read must not keep all others from being served.
        onFault(error);
      }
    }
    if (isAll) {
      const keys = new Set(listed.map(({ key }) => key));
      for (const key of packages.keys()) {
        if (keys.has(key)) continue;
        packages.delete(key);
        search.delete(key);
      }
    }
    for (const one of listed) {
      packages.set(one.key, one);
      search.set(one.key, one.package, one.ownerId);
    }
    return true;
  }

  /** What did not change keeps its compressed forms, and mostly is not even written again. */
  async function write(changes: Changes, isAll: boolean): Promise<IndexFiles> {
    const listed = [...packages.values()].sort((a, b) => byCodeUnit(a.package.identifier, b.package.identifier));
    const before = files;
    if (!before || isAll) return writeFiles(listed, brands);
    return writeFiles(listed, brands, {
      resources: writtenAt.resourcesTimestamp === changes.resourcesTimestamp ? before : undefined,
      manifests: writtenAt.manifestsTimestamp === changes.manifestsTimestamp ? before.manifests : undefined,
    });
  }

  /** Whether what did not change is what was read before. */
  function isAsKnown({ packages: rows, unchanged }: Changes): boolean {
    let [count, sum] = [revisions.size, 0];
    for (const revision of revisions.values()) sum += revision;
    for (const { identifier_key } of rows) {
      const before = revisions.get(identifier_key);
      if (before === undefined) continue;
      count -= 1;
      sum -= before;
    }
    return count === unchanged.count && sum === unchanged.revisions;
  }

  async function rebuild(): Promise<void> {
    let changes = await readChanges(database, readUpTo);
    const isRestored = changes.revision < readUpTo || !isAsKnown(changes);
    if (isRestored) {
      // The tables are those of a backup: nothing that was read counts any more, and the next number must be beyond
      // all that clients have seen. Another instance may have seen to that already.
      if (changes.revision < readUpTo) await countStart(database, { baseUrl, nowMs: now() });
      changes = await readChanges(database, NEVER);
      revisions.clear();
    }
    for (const row of changes.packages) revisions.set(row.identifier_key, row.revision);
    if ((await take(changes, isRestored)) || !files) {
      files = await write(changes, isRestored);
      const { resourcesTimestamp, manifestsTimestamp } = changes;
      writtenAt = { resourcesTimestamp, manifestsTimestamp };
    }
    readUpTo = changes.revision;
    const next = sealSnapshot(files, changes, { name, baseUrl });
    isKept = false;
    try {
      await keep(namedFiles(next));
      isKept = true;
    } catch (error) {
      // The first one has no other in its place, and those who read it find its files here.
      if (snapshot) throw error;
      onFault(error);
    }
    const before = snapshot;
    snapshot = next;
    onServed(next, before);
  }

  const refresh = coalesce(async () => {
    try {
      const revision = await readRevision(database);
      if (revision !== snapshot?.revision || !isKept) await rebuild();
      isFailing = false;
    } catch (error) {
      isFailing = true;
      throw error;
    }
  });

  async function poll(): Promise<void> {
    await refresh();
    if (!snapshot || !isDueForRenewal(snapshot.issuedAtS, now())) return;
    await renewStatement(database, { revision: snapshot.revision, nowMs: now() });
    await refresh();
  }
  const pollQuietly = coalesce(async () => {
    if (!isClosed) await poll().catch(onFault);
  });

  const unsubscribe: Unsubscribe = await bus.subscribe(CHANNEL, () => void pollQuietly());
  await refresh();
  const timer = setInterval(() => void pollQuietly(), POLL_EVERY_MS).unref();

  return {
    packages: packages as ReadonlyMap<string, ListedPackage>,
    search,
    snapshot(): Snapshot {
      if (!snapshot) throw new Error("The catalogue has nothing to serve.");
      return snapshot;
    },
    /** Resolves when this instance serves what was committed before the call. */
    refresh,
    /**
     * The same for readers: with it no instance gives an index that is older than one another has given before. While
     * the tables cannot be read, what was read last is good enough.
     */
    async fresh(): Promise<void> {
      if (isFailing) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, MAX_FRESH_WAIT_MS);
      await Promise.race([refresh().catch(() => {}), promise]);
      clearTimeout(limit);
    },
    /** Something was committed here: resolves when this instance serves it, or will as soon as it can. The others hear of it. */
    async changed(): Promise<void> {
      await Promise.all([bus.publish(CHANNEL, null).catch(onFault), refresh().catch(onFault)]);
    },
    /** Does what otherwise happens every few seconds. */
    poll,
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      await unsubscribe();
      await pollQuietly();
    },
  };
}

/**
 * One run at a time. Whoever asks gets a run that began after they asked: while one is under way all that ask share the
 * next one, so any number of calls at once costs two runs.
 */
export function coalesce(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function start(): Promise<void> {
    const started = run().finally(() => {
      if (running === started) running = undefined;
    });
    running = started;
    return started;
  }

  return () => {
    if (!running) return start();
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}
