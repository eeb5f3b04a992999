import { INTENT_LIMITS } from "@backplane/contract/intents";
import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";

/** Rows of one statement: nobody waits long behind it. */
const BATCH = 500;
/** Of one sweep; what is left is the next one's. */
const MAX_BATCHES = 100;

/**
 * Deletes what nobody asks for any more: requests that ended unanswered a day ago, or at once when there are too many,
 * and decisions of a month ago whose session is gone. Any number of instances may sweep at once.
 */
export async function sweepIntents(
  { shortLived }: Database<AccountTables>,
  nowMs: number,
  maxUnanswered: number,
): Promise<{ deleted: number; unanswered: number }> {
  const countUnanswered = async () => {
    const some = shortLived.selectFrom("intents").select("token_hash").where("state", "=", "pending");
    const { count } = await shortLived
      .selectFrom(some.limit(maxUnanswered).as("some"))
      .select((row) => row.fn.countAll<number | string>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  const isFull = (await countUnanswered()) >= maxUnanswered;
  const memoryMs = isFull ? 0 : INTENT_LIMITS.expiredMemoryMs;
  const unanswered = () =>
    shortLived
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
  const decided = () =>
    shortLived
      .deleteFrom("intents")
      .where("token_hash", "in", (old) =>
        old
          .selectFrom("intents")
          .leftJoin("sessions", "sessions.id", "intents.session_id")
          .select("intents.token_hash")
          .where("intents.user_id", "is not", null)
          .where("intents.state", "<>", "pending")
          .where("intents.decided_at_ms", "<", nowMs - INTENT_LIMITS.decidedMemoryMs)
          .where("sessions.id", "is", null)
          .limit(BATCH),
      )
      .executeTakeFirst();
  const deleted = (await untilDone(unanswered)) + (await untilDone(decided));
  return { deleted, unanswered: isFull ? await countUnanswered() : 0 };
}

async function untilDone(deleteBatch: () => Promise<{ numDeletedRows: bigint }>): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const { numDeletedRows } = await deleteBatch();
    deleted += Number(numDeletedRows);
    if (numDeletedRows < BATCH) break;
  }
  return deleted;
}
