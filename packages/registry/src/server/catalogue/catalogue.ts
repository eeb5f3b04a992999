import type { Contact } from "@backplane/contract/registry";
import type { Bus, Unsubscribe } from "@backplane/kit/bus";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { countStart, isDueForRenewal, renewStatement } from "../keys/index-state.ts";
import type { RegistryTables } from "../tables.ts";
import { addGzip, type IndexFile } from "./index-file.ts";
import type { KeptPieces } from "./kept-pieces.ts";
import type { ListedPackage } from "./listed-package.ts";
import { createListedPackages, type ListedPackages } from "./listed-packages.ts";
import { type Changes, NEVER, readChanges, readRevision } from "./read-changes.ts";
import { createFileWriter, type IndexFiles, namedFiles, type Snapshot, sealSnapshot } from "./snapshot.ts";

/** Tells all instances that something was published. If it gets lost, they find out with their next poll. */
const CHANNEL = "registry:changed";
const POLL_EVERY_MS = 2_000;
/** Readers of repository.json wait at most this long for the newest one. */
const MAX_FRESH_WAIT_MS = 10_000;
/** Words are added to the search this long after the start, unless somebody searches before. */
const WORDS_AFTER_MS = 1_000;
/** Then other requests get their turn. */
const WORDS_OF_PACKAGES_AT_ONCE = 100;

type CatalogueOptions = {
  database: Database<RegistryTables>;
  bus: Bus;
  brands: readonly string[];
  baseUrl: string;
  name: string;
  maintainer: Contact | undefined;
  now: Clock;
  /** From the last run. They are read while the tables are. */
  kept: Promise<Pick<KeptPieces, "find" | "forget">>;
  /** Called before a snapshot is served; when it resolves, every instance must be able to read these files. */
  keep(files: readonly IndexFile[]): Promise<void>;
  onServed(snapshot: Snapshot, before: Snapshot | undefined): void;
  onFault(error: unknown): void;
};

export type Catalogue = Awaited<ReturnType<typeof openCatalogue>>;

/** What is listed, in memory: the tables are read once, and then only what changed. */
export async function openCatalogue(options: CatalogueOptions) {
  const { database, bus, now, onFault } = options;
  const listed = createListedPackages(options);
  const snapshots = createSnapshots(listed, options);
  const { refresh } = snapshots;
  let isClosed = false;

  async function poll(): Promise<void> {
    await refresh();
    const { revision, issuedAtS } = snapshots.current();
    if (!isDueForRenewal(issuedAtS, now())) return;
    await renewStatement(database, { revision, nowMs: now() });
    await refresh();
  }
  const pollQuietly = coalesce(async () => {
    if (!isClosed) await poll().catch(onFault);
  });

  const unsubscribe: Unsubscribe = await bus.subscribe(CHANNEL, () => void pollQuietly());
  await refresh();
  const timer = setInterval(() => void pollQuietly(), POLL_EVERY_MS).unref();
  const addWords = () => {
    if (!isClosed && listed.search.addWords(WORDS_OF_PACKAGES_AT_ONCE)) setImmediate(addWords);
  };
  setTimeout(addWords, WORDS_AFTER_MS).unref();

  return {
    packages: listed.packages,
    privatePackages: listed.privatePackages,
    search: listed.search,
    snapshot: snapshots.current,
    seal: snapshots.seal,
    /** Resolves when this instance serves everything that was committed before the call. */
    refresh,
    /**
     * The same for readers: no instance then gives an index that is older than one that another instance has given.
     * While the tables cannot be read, readers get what was read last.
     */
    async fresh(): Promise<void> {
      if (snapshots.isFailing()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, MAX_FRESH_WAIT_MS);
      await Promise.race([refresh().catch(() => {}), promise]);
      clearTimeout(limit);
    },
    /** Call after a commit: tells the other instances, and resolves when this one serves the change or has tried to. */
    async changed(): Promise<void> {
      await Promise.all([bus.publish(CHANNEL, null).catch(onFault), refresh().catch(onFault)]);
    },
    /** What the timer does every few seconds. */
    poll,
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      await unsubscribe();
      await pollQuietly();
    },
  };
}

/** Makes the next snapshot whenever the tables have a new revision. */
function createSnapshots(listed: ListedPackages, options: CatalogueOptions) {
  const { database, brands, baseUrl, name, maintainer, now, kept, keep, onServed, onFault } = options;
  let readUpTo = NEVER;
  let files: IndexFiles | undefined;
  let iconsAt = NEVER;
  let writeFiles: ReturnType<typeof createFileWriter> | undefined;
  let snapshot: Snapshot | undefined;
  let state: Omit<Changes, "unchanged" | "revisions"> | undefined;
  let isKept = false;
  let isFailing = false;

  async function read(since: number): Promise<{ changes: Changes; packages: ListedPackage[] }> {
    const packages: ListedPackage[] = [];
    const changes = await readChanges(database, since, (rows, versions) =>
      packages.push(...listed.list(rows, versions)),
    );
    return { changes, packages };
  }

  async function readNext(): Promise<Awaited<ReturnType<typeof read>> & { isRestored: boolean }> {
    const next = await read(readUpTo);
    const { changes } = next;
    const isRestored = changes.revision < readUpTo || !listed.isSameExcept(changes);
    if (!isRestored) return { ...next, isRestored };
    // The tables come from a backup, so everything must be read again, and the next revision must be greater than any
    // that clients have seen. Another instance may already have taken care of that.
    if (changes.revision < readUpTo) await countStart(database, { baseUrl, nowMs: now() });
    return { ...(await read(NEVER)), isRestored };
  }

  async function rebuild(): Promise<void> {
    const { changes, packages, isRestored } = await readNext();
    if (listed.apply(changes, packages, isRestored) || !files) {
      const { resourcesTimestamp } = changes;
      const { find, forget } = await kept;
      // Other threads do this. `keep` waits for it, and reports what fails.
      writeFiles ??= createFileWriter({ brands, find, onWritten: (file) => void addGzip(file).catch(() => {}) });
      files = await writeFiles(listed.inOrder(), isRestored || iconsAt !== resourcesTimestamp ? undefined : files);
      forget();
      iconsAt = resourcesTimestamp;
    }
    readUpTo = changes.revision;
    const next = sealSnapshot(files, changes, { name, maintainer, baseUrl });
    isKept = false;
    try {
      await keep(namedFiles(next));
      isKept = true;
    } catch (error) {
      // There is no older snapshot to serve instead of the first one, and this instance has its files in memory.
      if (snapshot) throw error;
      onFault(error);
    }
    const before = snapshot;
    snapshot = next;
    state = changes;
    onServed(next, before);
  }

  return {
    refresh: coalesce(async () => {
      try {
        const revision = await readRevision(database);
        if (revision !== snapshot?.revision || !isKept) await rebuild();
        isFailing = false;
      } catch (error) {
        isFailing = true;
        throw error;
      }
    }),
    isFailing: () => isFailing,
    /** A repository of these packages alone, as of the current revision. They must be sorted. */
    async seal(
      packages: readonly ListedPackage[],
      options: { name: string; addressOf: (file: IndexFile) => string },
    ): Promise<Snapshot> {
      if (!state) throw new Error("The catalogue has nothing to serve.");
      const at = state;
      return sealSnapshot(await createFileWriter({ brands })(packages), at, { ...options, maintainer, baseUrl });
    },
    current(): Snapshot {
      if (!snapshot) throw new Error("The catalogue has nothing to serve.");
      return snapshot;
    },
  };
}

/**
 * One run at a time. Every caller gets a run that began after the call: callers that come while one is under way share
 * the next one, so any number of simultaneous calls costs at most two runs.
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
