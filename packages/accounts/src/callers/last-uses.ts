import type { Caller } from "@backplane/kit/callers";
import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";

/** The last use that people see may be out of date by this much. */
export const LAST_USE_EVERY_MS = 60_000;
const WRITE_EVERY_MS = 5_000;
/** Uses that wait to be written. Beyond that, a use is not recorded; the next one will be. */
const MAX_WAITING = 5_000;
/** Rows per statement. */
const BATCH = 500;

type LastUseOptions = { database: Database<AccountTables>; onFault: (error: unknown) => void };

/** Records when a session or key was last used, in the background: no request waits for it. */
export function createLastUses({ database, onFault }: LastUseOptions) {
  let sessions = new Map<string, number>();
  let keys = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();

  function note({ credentialId, kind }: Caller, lastUsedAtMs: number, nowMs: number): void {
    if (nowMs - lastUsedAtMs < LAST_USE_EVERY_MS) return;
    const waiting = kind === "ApiKey" ? keys : sessions;
    if (waiting.size < MAX_WAITING || waiting.has(credentialId)) waiting.set(credentialId, nowMs);
  }

  /** One write at a time. Never fails: a use that could not be written is recorded again at the next one. */
  function flush(): Promise<void> {
    if (sessions.size === 0 && keys.size === 0) return writing;
    const noted = { sessions, api_keys: keys };
    sessions = new Map();
    keys = new Map();
    writing = writing.then(() => write(noted)).catch(onFault);
    return writing;
  }

  async function write(noted: Record<"sessions" | "api_keys", Map<string, number>>): Promise<void> {
    for (const table of ["sessions", "api_keys"] as const) {
      const uses = [...noted[table]];
      for (let from = 0; from < uses.length; from += BATCH) await writeBatch(table, uses.slice(from, from + BATCH));
    }
  }

  /** The whole batch gets the time of its latest use: the uses are seconds apart, and times are only promised to the minute. */
  async function writeBatch(table: "sessions" | "api_keys", uses: [string, number][]): Promise<void> {
    const atMs = Math.max(...uses.map(([, ms]) => ms));
    await database.shortLived
      .updateTable(table)
      .set({ last_used_at_ms: atMs })
      .where(
        "id",
        "in",
        uses.map(([id]) => id),
      )
      .where((row) => row.or([row("last_used_at_ms", "is", null), row("last_used_at_ms", "<", atMs)]))
      .execute();
  }

  const timer = setInterval(flush, WRITE_EVERY_MS).unref();
  return {
    note,
    async close(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}
