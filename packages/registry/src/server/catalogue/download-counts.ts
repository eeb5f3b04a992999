import type { Database } from "@backplane/kit/database";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import type { VersionNumber } from "../../versions/version-numbers.ts";
import type { RegistryTables } from "../tables.ts";

const WRITE_EVERY_MS = 5_000;
/** Versions with unwritten counts; downloads of more are not counted. */
const MAX_WAITING = 10_000;
const READ_EVERY_MS = 5 * 60_000;

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Counted downloads per client and day, of all versions: it bounds what is remembered of one client. */
const MAX_PER_CLIENT = 500;

type Waiting = { key: string; number: VersionNumber; count: number };

export type DownloadCounts = ReturnType<typeof createDownloadCounts>;

/**
 * Counts each version once per client and day, on all instances together. Counts in memory and writes regularly, so that
 * no download has to wait.
 */
export function createDownloadCounts({
  database,
  newLimiter,
  onRead,
  onFault,
}: {
  database: Database<RegistryTables>;
  newLimiter: (limit: RateLimit) => RateLimiter;
  /** Gets the sums per package, which are read regularly because other instances count too. */
  onRead(downloadsOf: (key: string) => number): void;
  onFault(error: unknown): void;
}) {
  let waiting = new Map<string, Waiting>();
  let sums = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();
  const counting = new Set<Promise<void>>();
  const oncePerDay = newLimiter({ name: "registry-download", limit: 1, windowMs: DAY_MS });
  const perClient = newLimiter({ name: "registry-downloads", limit: MAX_PER_CLIENT, windowMs: DAY_MS });

  async function countOnce(key: string, number: VersionNumber, client: string): Promise<void> {
    const name = `${key} ${number.join(".")}`;
    if (!(await perClient.take(client)).allowed) return;
    if (!(await oncePerDay.take(`${name} ${client}`)).allowed) return perClient.giveBack(client);
    const known = waiting.get(name);
    if (known) known.count += 1;
    else if (waiting.size < MAX_WAITING) waiting.set(name, { key, number, count: 1 });
    else return;
    sums.set(key, (sums.get(key) ?? 0) + 1);
  }

  function flush(): Promise<void> {
    if (waiting.size === 0) return writing;
    const counted = waiting;
    waiting = new Map();
    writing = writing.then(() => write(counted)).catch(onFault);
    return writing;
  }

  async function write(counted: ReadonlyMap<string, Waiting>): Promise<void> {
    for (const { key, number, count } of counted.values()) {
      const [epoch, major, minor, patch] = number;
      await database.shortLived
        .updateTable("registry_versions")
        .set((row) => ({ downloads: row("downloads", "+", count) }))
        .where((row) => row.and({ identifier_key: key, epoch, major, minor, patch }))
        .execute();
    }
  }

  async function readSums(): Promise<void> {
    const rows = await database.durable
      .selectFrom("registry_versions")
      .select(({ fn }) => ["identifier_key", fn.sum<number | string>("downloads").as("downloads")])
      .groupBy("identifier_key")
      .execute();
    sums = new Map(rows.map(({ identifier_key, downloads }) => [identifier_key, Number(downloads)]));
    onRead((key) => sums.get(key) ?? 0);
  }

  const writer = setInterval(flush, WRITE_EVERY_MS).unref();
  const reader = setInterval(() => void readSums().catch(onFault), READ_EVERY_MS).unref();

  return {
    /** Call when a whole archive was sent to a client. */
    count(key: string, number: VersionNumber, client: string): void {
      if (counting.size >= MAX_WAITING) return;
      const counted: Promise<void> = countOnce(key, number, client)
        .catch(onFault)
        .finally(() => counting.delete(counted));
      counting.add(counted);
    },
    /** The downloads of a package, as far as this instance knows. */
    of: (key: string): number => sums.get(key) ?? 0,
    readSums,
    flush,
    async close(): Promise<void> {
      clearInterval(writer);
      clearInterval(reader);
      await Promise.all(counting);
      await flush();
    },
  };
}
