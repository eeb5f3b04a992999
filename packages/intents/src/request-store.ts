import { INTENT_LIMITS } from "@backplane/contract/intents";
import { type Database, prepare } from "@backplane/kit/database";
import { type RawBuilder, sql } from "kysely";
import type { IntentTables } from "./tables.ts";

export type CallerRow = Pick<IntentTables["intent_callers"], "address" | "program" | "first_seen_ms">;
export type ApprovalRow = Pick<
  IntentTables["intents"],
  "state" | "app_name" | "created_address" | "decided_at_ms" | "session_id"
>;

export type RequestStore = ReturnType<typeof createRequestStore>;

/** What a person sees of intents: who waits, and what was decided before. */
export function createRequestStore({ durable, shortLived }: Database<IntentTables>) {
  // The casts are for PostgreSQL, which takes a bare parameter in a select for text.
  const text = (value: string | null): RawBuilder<string> => sql`cast(${value} as text)`;
  const addCaller = prepare((given: { hash: string } & CallerRow) =>
    shortLived
      .insertInto("intent_callers")
      .columns(["intent_hash", "address", "program", "first_seen_ms"])
      .expression(
        shortLived
          .selectFrom("intents")
          .select([
            "token_hash",
            text(given.address).as("address"),
            text(given.program).as("program"),
            sql<number>`cast(${given.first_seen_ms} as bigint)`.as("first_seen_ms"),
          ])
          .where("token_hash", "=", given.hash)
          .where(
            (row) =>
              row
                .selectFrom("intent_callers")
                .select((count) => count.fn.countAll<number>().as("n"))
                .where("intent_hash", "=", given.hash),
            "<",
            INTENT_LIMITS.maxCallers,
          ),
      )
      .onConflict((conflict) => conflict.doNothing()),
  );

  return {
    /** Once an address, and not more of them than a page can show. */
    async addCaller(hash: string, caller: CallerRow): Promise<void> {
      await addCaller(shortLived, { hash, ...caller });
    },

    callers(hash: string): Promise<CallerRow[]> {
      return shortLived
        .selectFrom("intent_callers")
        .select(["address", "program", "first_seen_ms"])
        .where("intent_hash", "=", hash)
        .orderBy("first_seen_ms")
        .limit(INTENT_LIMITS.maxCallers)
        .execute();
    },

    /** The last decisions of a person, newest first. */
    approvals(userId: string): Promise<ApprovalRow[]> {
      return durable
        .selectFrom("intents")
        .select(["state", "app_name", "created_address", "decided_at_ms", "session_id"])
        .where("user_id", "=", userId)
        .orderBy("decided_at_ms", "desc")
        .limit(INTENT_LIMITS.maxApprovals)
        .execute();
    },
  };
}
