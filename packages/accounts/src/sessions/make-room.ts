import { SESSION_LIMITS } from "@backplane/contract/accounts";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { lockCallersUser } from "../users/users.ts";

/**
 * Ends what an account has too many of, the longest unused first, so that one more of this kind fits; call it before the
 * insert, in the same transaction. Kinds do not make room for each other: programs that are approved one after the other
 * must not sign out the browser that approves them. Returns which sessions ended: `callers.forget` them once the
 * transaction has committed.
 */
export async function makeRoomForSession(
  transaction: Transaction<AccountTables>,
  userId: string,
  kind: "Browser" | "Application",
): Promise<string[]> {
  await lockCallersUser(transaction, userId);
  const ended = await transaction
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("kind", "=", kind)
    .where("id", "not in", (kept) =>
      kept
        .selectFrom("sessions")
        .select("id")
        .where("user_id", "=", userId)
        .where("kind", "=", kind)
        .orderBy("last_used_at_ms", "desc")
        .orderBy("created_at_ms", "desc")
        .limit(SESSION_LIMITS.maxPerUserAndKind - 1),
    )
    .returning("id")
    .execute();
  return ended.map(({ id }) => id);
}
