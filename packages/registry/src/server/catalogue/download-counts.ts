import type { Database } from "@backplane/kit/database";
import type { VersionNumber } from "../../versions/version-numbers.ts";
import type { RegistryTables } from "../tables.ts";

const WRITE_EVERY_MS = 5_000;
/** Versions with unwritten counts; downloads of more are not counted. */
const MAX_WAITING = 10_000;
const READ_EVERY_MS = 5 * 60_000;

type Waiting = { key: string; number: VersionNumber; count: number };

export type DownloadCounts = ReturnType<typeof createDownloadCounts>;

/** Counts in memory and writes regularly, so that no download has to wait. */
export function createDownloadCounts({
  database,
  onRead,
  onFault,
}: {
  database: Database<RegistryTables>;
  /** Gets the sums per package, which are read regularly because other instances count too. */
  onRead(downloadsOf: (key: string) => number): void;
  onFault(error: unknown): void;
}) {
  let waiting = new Map<string, Waiting>();
  let sums = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();

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
    count(key: string, number: VersionNumber): void {
      const name = `${key} ${number.join(".")}`;
      const known = waiting.get(name);
      if (known) known.count += 1;
      else if (waiting.size < MAX_WAITING) waiting.set(name, { key, number, count: 1 });
      else return;
      sums.set(key, (sums.get(key) ?? 0) + 1);
    },
    /** The downloads of a package, as far as this instance knows. */
    of: (key: string): number => sums.get(key) ?? 0,
    readSums,
    flush,
    async close(): Promise<void> {
      clearInterval(writer);
      clearInterval(reader);
      await flush();
    },
  };
}
