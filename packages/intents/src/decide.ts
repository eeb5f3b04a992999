import { type DecideIntent, INTENT_LIMITS, type Intent } from "@backplane/contract/intents";
import type { Clock } from "@backplane/kit/clock";
import type { BatchGuard, BatchResults, Database } from "@backplane/kit/database";
import { type Compilable, sql } from "kysely";
import type { DescribeIntent } from "./create.ts";
import { isExpired, type Refusal, type Refused, refused } from "./refusal.ts";
import { isSameCode, sealToken } from "./secrets.ts";
import type { SessionGrant, Sessions } from "./sessions.ts";
import type { IntentRow, IntentStore, IntentTables } from "./store.ts";

/** The person who decides, and in which browser session. */
export type Decider = { userId: string; sessionId: string };

type DecideOptions = {
  store: Pick<IntentStore, "read">;
  decisions: DecisionStore;
  now: Clock;
  describe: DescribeIntent;
  /** Programs may be waiting for this intent. */
  onDecided: (hash: string) => void;
  /** Called with sessions that ended to make room for a new one. */
  forget: (sessionIds: readonly string[]) => Promise<void>;
};

export type Decide = (token: string, hash: string, asked: DecideIntent, decider: Decider) => Promise<Intent | Refused>;

/** A person approves or denies. The first decision counts. */
export function createDecide({ store, decisions, now, describe, onDecided, forget }: DecideOptions): Decide {
  /** When somebody else was first, their decision is the answer. */
  const whyTooLate = async (hash: string, nowMs: number): Promise<Refused> =>
    refused(whyDecided(await store.read(hash), nowMs) ?? "intent-expired");

  async function countWrongCode(hash: string, userId: string, nowMs: number): Promise<Refused> {
    const state = await decisions.countWrongCode(hash, userId, nowMs);
    if (state === "pending") return refused("wrong-code");
    if (state === undefined) return whyTooLate(hash, nowMs);
    onDecided(hash);
    return refused("intent-denied");
  }

  async function approve(row: IntentRow, token: string, decider: Decider, nowMs: number): Promise<boolean> {
    const grant = {
      userId: decider.userId,
      name: row.app_name ?? row.created_program ?? "A program",
      program: row.created_program,
      address: row.created_address,
      maxAgeS: row.max_age_s,
      approvedBy: decider.sessionId,
    };
    const ended = await decisions.approve({ token, hash: row.token_hash, grant }, nowMs);
    if (ended === undefined) return false;
    if (ended.length > 0) await forget(ended);
    return true;
  }

  return async (token, hash, { decision, confirmation_code: code }, decider) => {
    const { userId } = decider;
    const nowMs = now();
    const row = await store.read(hash);
    const why = whyDecided(row, nowMs);
    if (!row || why) return refused(why ?? "intent-unknown");
    const approves = decision !== "deny";
    const isWrong = code !== undefined && !isSameCode(code, row.confirmation_code);
    if (approves && isWrong) return countWrongCode(hash, userId, nowMs);
    const decided = approves ? await approve(row, token, decider, nowMs) : await decisions.deny(hash, userId, nowMs);
    if (!decided) return whyTooLate(hash, nowMs);
    onDecided(hash);
    return describe(token, row, approves);
  };
}

/** Why it can no longer be decided. */
function whyDecided(row: IntentRow | undefined, nowMs: number): Refusal | undefined {
  if (!row) return "intent-unknown";
  if (row.state === "authenticated") return "intent-linked";
  if (row.state === "denied") return "intent-denied";
  return isExpired(row, nowMs) ? "intent-expired" : undefined;
}

export type DecisionStore = ReturnType<typeof createDecisionStore>;

type Approval = { token: string; hash: string; grant: SessionGrant };

/** Each decision is one batch, whose conditional statement decides: a second one changes nothing. */
export function createDecisionStore(database: Database<IntentTables>, sessions: Pick<Sessions, "guardUser" | "grant">) {
  const pending = (hash: string, nowMs: number) =>
    database.durable
      .updateTable("intents")
      .where("token_hash", "=", hash)
      .where("state", "=", "pending")
      .where("expires_at_ms", ">", nowMs);

  /** The results of the statements. A person whose account or session was just removed cannot decide: 401. */
  async function guarded<const Statements extends readonly Compilable[]>(
    guard: BatchGuard,
    statements: Statements,
  ): Promise<BatchResults<Statements>> {
    const results = await database.batch([...guard.statements, ...statements]);
    guard.check(results);
    return results.slice(guard.statements.length) as BatchResults<Statements>;
  }

  return {
    /** Creates the session and links it. Returns which sessions ended to make room, or undefined: it was not pending. */
    async approve({ token, hash, grant }: Approval, nowMs: number): Promise<readonly string[] | undefined> {
      const isLinked = (id: string) =>
        sql<boolean>`exists (select 1 from intents where token_hash = ${hash} and session_id = ${id})`;
      const made = sessions.grant(grant, nowMs, isLinked);
      const link = pending(hash, nowMs)
        .where(made.guard.holds)
        .set({
          state: "authenticated",
          user_id: grant.userId,
          decided_at_ms: nowMs,
          session_id: made.id,
          sealed_token: sealToken(token, made.token),
        });
      const [linked, madeRoom] = await guarded(made.guard, [link, ...made.create]);
      return linked.numAffectedRows === 1n ? madeRoom.rows.map(({ id }) => id) : undefined;
    },

    /** False: it was not pending. */
    async deny(hash: string, userId: string, nowMs: number): Promise<boolean> {
      const guard = sessions.guardUser(userId);
      const deny = pending(hash, nowMs)
        .where(guard.holds)
        .set({ state: "denied", user_id: userId, decided_at_ms: nowMs });
      const [denied] = await guarded(guard, [deny]);
      return denied.numAffectedRows === 1n;
    },

    /** Counts a wrong code; too many of them deny the intent. Returns its new state, or undefined: it was not pending. */
    async countWrongCode(hash: string, userId: string, nowMs: number): Promise<"pending" | "denied" | undefined> {
      const guard = sessions.guardUser(userId);
      const isTooMany = sql`wrong_codes >= ${sql.lit(INTENT_LIMITS.maxWrongCodes)}`;
      const count = pending(hash, nowMs)
        .where(guard.holds)
        .set({
          wrong_codes: sql<number>`wrong_codes + 1`,
          state: sql<"pending" | "denied">`case when ${isTooMany} then 'denied' else state end`,
          user_id: sql<string | null>`case when ${isTooMany} then ${userId} else user_id end`,
          decided_at_ms: sql<number | null>`case when ${isTooMany} then ${nowMs} else decided_at_ms end`,
        })
        .returning("state");
      const [counted] = await guarded(guard, [count]);
      const [row] = counted.rows;
      return row?.state === "denied" || row?.state === "pending" ? row.state : undefined;
    },
  };
}
