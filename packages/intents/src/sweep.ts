import { INTENT_LIMITS } from "@backplane/contract/intents";
import type { Database } from "@backplane/kit/database";
import type { Sessions } from "./sessions.ts";
import type { IntentTables } from "./store.ts";

/** Rows per statement: others wait only briefly behind it. */
const BATCH = 500;
/** Per sweep; the next one deletes the rest. */
const MAX_BATCHES = 100;

export type SweepOptions = {
  database: Database<IntentTables>;
  sessions: Pick<Sessions, "existing">;
  nowMs: number;
  maxUnanswered: number;
};

/**
 * Deletes what is no longer needed: requests that ended unanswered a day ago, or at once when there are too many, and
 * decisions of a month ago whose session is gone. Any number of instances may sweep at the same time.
 */
export async function sweepIntents(options: SweepOptions): Promise<{ deleted: number; unanswered: number }> {
  const isFull = (await countUnanswered(options)) >= options.maxUnanswered;
  const deleted = (await deleteUnanswered(options, isFull)) + (await deleteDecided(options));
  return { deleted, unanswered: isFull ? await countUnanswered(options) : 0 };
}

async function countUnanswered({ database: { shortLived }, maxUnanswered }: SweepOptions): Promise<number> {
  const some = shortLived.selectFrom("intents").select("token_hash").where("state", "=", "pending");
  const { count } = await shortLived
    .selectFrom(some.limit(maxUnanswered).as("some"))
    .select((row) => row.fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function deleteUnanswered({ database: { shortLived }, nowMs }: SweepOptions, isFull: boolean): Promise<number> {
  const memoryMs = isFull ? 0 : INTENT_LIMITS.expiredMemoryMs;
  let deleted = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const { numDeletedRows } = await shortLived
      .deleteFrom("intents")
      .where("token_hash", "in", (old) =>
        old
          .selectFrom("intents")
          .select("token_hash")
          .where("state", "=", "pending")
          .where("expires_at_ms", "<", nowMs - memoryMs)
          .limit(BATCH),
      )
      .executeTakeFirst();
    deleted += Number(numDeletedRows);
    if (numDeletedRows < BATCH) break;
  }
  return deleted;
}

/** Goes once through all old decisions, page by page: most of a page may belong to sessions that still exist. */
async function deleteDecided({ database: { shortLived }, sessions, nowMs }: SweepOptions): Promise<number> {
  let deleted = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows = await shortLived
      .selectFrom("intents")
      .select(["token_hash", "session_id"])
      .where("state", "<>", "pending")
      .where("decided_at_ms", "<", nowMs - INTENT_LIMITS.decidedMemoryMs)
      .where("token_hash", ">", after)
      .orderBy("token_hash")
      .limit(BATCH)
      .execute();
    const ids = rows.flatMap(({ session_id }) => session_id ?? []);
    const existing = await sessions.existing(ids, nowMs);
    const gone = rows.filter(({ session_id }) => session_id === null || !existing.has(session_id));
    if (gone.length > 0) {
      const hashes = gone.map(({ token_hash }) => token_hash);
      await shortLived.deleteFrom("intents").where("token_hash", "in", hashes).execute();
    }
    deleted += gone.length;
    after = rows.length < BATCH ? undefined : rows.at(-1)?.token_hash;
  }
  return deleted;
}
