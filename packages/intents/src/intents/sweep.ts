import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";
import { INTENT_LIMITS } from "./contract.ts";

/** Rows of one statement: nobody waits long behind it. */
const BATCH = 500;
/** Of one sweep; what is left is the next one's. */
const MAX_BATCHES = 100;

/**
 * Deletes what nobody asks for any more: requests that ended unanswered a day ago, and decisions of a month ago whose
 * session is gone. Returns how many. Any number of instances may sweep at once.
 */
export async function sweepIntents({ shortLived }: Database<AccountTables>, nowMs: number): Promise<number> {
  const unanswered = () =>
    shortLived
      .deleteFrom("intents")
      .where("token_hash", "in", (old) =>
        old
          .selectFrom("intents")
          .select("token_hash")
          .where("state", "=", "pending")
          .where("expires_at_ms", "<", nowMs - INTENT_LIMITS.expiredMemoryMs)
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
  return (await untilDone(unanswered)) + (await untilDone(decided));
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
