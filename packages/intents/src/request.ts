import type { Approval, IntentCaller, IntentRequest } from "@backplane/contract/intents";
import type { Clock } from "@backplane/kit/clock";
import { callerKey } from "@backplane/kit/http";
import { isExpired, type Refused, refused } from "./refusal.ts";
import type { RequestStore } from "./request-store.ts";
import type { Sessions } from "./sessions.ts";
import type { IntentRow, IntentStore } from "./store.ts";

export type RequestRules = ReturnType<typeof createRequestRules>;

const time = (ms: number): string => new Date(ms).toISOString();

/** What a person needs to judge a request, and what they decided before. */
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
