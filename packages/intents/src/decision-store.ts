import { INTENT_LIMITS } from "@backplane/contract/intents";
import type { Database } from "@backplane/kit/database";
import { sql, type Transaction } from "kysely";
import { sealToken } from "./seal.ts";
import type { SessionGrant, Sessions } from "./sessions.ts";
import type { IntentTables } from "./tables.ts";

export type DecisionStore = ReturnType<typeof createDecisionStore>;

export type Approved = {
  token: string;
  hash: string;
  grant: SessionGrant;
};

/** Thrown inside a transaction to undo it. */
const NOT_PENDING = Symbol("not pending");

/** What people decide. Each is one conditional statement: whoever comes second changes nothing. */
export function createDecisionStore(
  { durable }: Database<IntentTables>,
  sessions: Pick<Sessions, "lockUser" | "grant">,
) {
  const pending = (transaction: Transaction<IntentTables>, hash: string, nowMs: number) =>
    transaction
      .updateTable("intents")
      .where("token_hash", "=", hash)
      .where("state", "=", "pending")
      .where("expires_at_ms", ">", nowMs);

  /** Who was removed a moment ago decides nothing: 401. */
  const asUser = <T>(userId: string, work: (transaction: Transaction<IntentTables>) => Promise<T>): Promise<T> =>
    durable.transaction().execute(async (transaction) => {
      await sessions.lockUser(transaction, userId);
      return work(transaction);
    });

  return {
    /** The session and its link together or neither; returns which sessions gave way to it, or undefined: not pending. */
    async approve({ token, hash, grant }: Approved, nowMs: number): Promise<readonly string[] | undefined> {
      try {
        return await durable.transaction().execute(async (transaction) => {
          const made = await sessions.grant(transaction, grant, nowMs);
          const { numUpdatedRows } = await pending(transaction, hash, nowMs)
            .set({
              state: "authenticated",
              user_id: grant.userId,
              decided_at_ms: nowMs,
              session_id: made.id,
              sealed_token: sealToken(token, made.token),
            })
            .executeTakeFirst();
          if (numUpdatedRows !== 1n) throw NOT_PENDING;
          return made.ended;
        });
      } catch (error) {
        if (error === NOT_PENDING) return undefined;
        throw error;
      }
    },

    deny: (hash: string, userId: string, nowMs: number): Promise<boolean> =>
      asUser(userId, async (transaction) => {
        const { numUpdatedRows } = await pending(transaction, hash, nowMs)
          .set({ state: "denied", user_id: userId, decided_at_ms: nowMs })
          .executeTakeFirst();
        return numUpdatedRows === 1n;
      }),

    /** Counts one; the one too many denies. Returns the state after it, or undefined: not pending. */
    countWrongCode: (hash: string, userId: string, nowMs: number): Promise<"pending" | "denied" | undefined> =>
      asUser(userId, async (transaction) => {
        const isTooMany = sql`wrong_codes >= ${sql.lit(INTENT_LIMITS.maxWrongCodes)}`;
        const row = await pending(transaction, hash, nowMs)
          .set({
            wrong_codes: sql<number>`wrong_codes + 1`,
            state: sql<"pending" | "denied">`case when ${isTooMany} then 'denied' else state end`,
            user_id: sql<string | null>`case when ${isTooMany} then ${userId} else user_id end`,
            decided_at_ms: sql<number | null>`case when ${isTooMany} then ${nowMs} else decided_at_ms end`,
          })
          .returning("state")
          .executeTakeFirst();
        return row?.state === "denied" || row?.state === "pending" ? row.state : undefined;
      }),
  };
}
