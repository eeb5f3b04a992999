import { type Approval, INTENT_LIMITS, type IntentCaller, type IntentRequest } from "@backplane/contract/intents";
import type { Clock } from "@backplane/kit/clock";
import { type Database, prepare } from "@backplane/kit/database";
import { callerKey } from "@backplane/kit/http";
import { type RawBuilder, sql } from "kysely";
import { isExpired, type Refused, refused } from "./refusal.ts";
import type { Sessions } from "./sessions.ts";
import type { IntentRow, IntentStore, IntentTables } from "./store.ts";

type CallerRow = Pick<IntentTables["intent_callers"], "address" | "program" | "first_seen_ms">;
type ApprovalRow = Pick<
  IntentTables["intents"],
  "state" | "app_name" | "created_address" | "decided_at_ms" | "session_id"
>;

export type RequestStore = ReturnType<typeof createRequestStore>;

/** Who waits for an intent, and what a person decided before. */
export function createRequestStore({ durable, shortLived }: Database<IntentTables>) {
  // The casts are for PostgreSQL, which treats a bare parameter in a select as text.
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
    /** Once per address, and no more than a page can show. */
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

export type RequestRules = ReturnType<typeof createRequestRules>;

const time = (ms: number): string => new Date(ms).toISOString();

/** What a person needs to know to decide, and what they decided before. */
export function createRequestRules({
  store,
  requests,
  sessions,
  now,
}: {
  store: IntentStore;
  requests: RequestStore;
  sessions: Pick<Sessions, "addressesOf" | "existing">;
  now: Clock;
}) {
  async function callersOf(row: IntentRow, userId: string): Promise<IntentCaller[]> {
    const [others, addresses] = await Promise.all([requests.callers(row.token_hash), sessions.addressesOf(userId)]);
    const known = new Set(addresses.map(callerKey));
    const creator = { address: row.created_address, program: row.created_program, first_seen_ms: row.created_at_ms };
    return [creator, ...others].map((caller) => ({
      address: caller.address,
      program: caller.program,
      since: time(caller.first_seen_ms),
      is_creator: caller === creator,
      is_new_address: !known.has(callerKey(caller.address)),
    }));
  }

  return {
    async describe(hash: string, userId: string): Promise<IntentRequest | Refused> {
      const row = await store.read(hash);
      if (!row) return refused("intent-unknown");
      const nowMs = now();
      const beginsAtMs = row.state === "authenticated" ? (row.decided_at_ms ?? nowMs) : nowMs;
      return {
        state: isExpired(row, nowMs) ? "expired" : row.state,
        app_name: row.app_name,
        confirmation_code: row.confirmation_code,
        created_at: time(row.created_at_ms),
        expires_at: time(row.expires_at_ms),
        requested_max_age: row.max_age_s,
        session_ends_at: time(beginsAtMs + row.max_age_s * 1_000),
        callers: await callersOf(row, userId),
      };
    },

    async approvals(userId: string): Promise<Approval[]> {
      const rows = await requests.approvals(userId);
      const ids = rows.flatMap(({ session_id }) => session_id ?? []);
      const existing = await sessions.existing(ids, now());
      return rows.map((row) => ({
        decision: row.state === "authenticated" ? "approve" : "deny",
        app_name: row.app_name,
        address: row.created_address,
        decided_at: time(row.decided_at_ms ?? 0),
        session_id: row.session_id !== null && existing.has(row.session_id) ? row.session_id : null,
      }));
    },
  };
}
