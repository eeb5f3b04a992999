import {
  type CreateIntent,
  DEFAULT_MAX_AGE_S,
  type DecideIntent,
  INTENT_LIFE_MS,
  type Intent,
} from "@backplane/contract/intents";
import type { Clock } from "@backplane/kit/clock";
import { plainAddress, programOf } from "@backplane/kit/http";
import { newSecret } from "@backplane/kit/secrets";
import { readAppName } from "./app-name.ts";
import { isSameCode, newConfirmationCode } from "./confirmation-code.ts";
import type { DecisionStore } from "./decision-store.ts";
import { hashIntentToken } from "./intent-token.ts";
import { isExpired, type Refusal, type Refused, refused } from "./refusal.ts";
import type { Sessions } from "./sessions.ts";
import type { IntentRow, IntentStore, NewIntent } from "./store.ts";

export type IntentRules = ReturnType<typeof createIntentRules>;

type RuleOptions = {
  store: IntentStore;
  decisions: DecisionStore;
  sessions: Pick<Sessions, "exists">;
  now: Clock;
  authUrl: string;
  baseUrl: string;
  /** Nobody can know its token yet. */
  onCreated?: (token: string, row: NewIntent) => void;
  /** Somebody may be waiting for this one. */
  onDecided: (hash: string) => void;
  /** Sessions that gave way to a new one have ended. */
  forget: (sessionIds: readonly string[]) => Promise<void>;
};

/** The person who decides, and by which session. */
export type Decider = { userId: string; sessionId: string };

/** Made by a program, decided by a person. */
export function createIntentRules(options: RuleOptions) {
  const { store, decisions, sessions, now, authUrl, baseUrl, onCreated, onDecided, forget } = options;
  const pageOf = (token: string): string => `${authUrl}/auth/intent?token=${encodeURIComponent(token)}`;

  const onTheWire = (token: string, row: NewIntent, completed: boolean): Intent => ({
    token,
    created_at: new Date(row.created_at_ms).toISOString(),
    expires_at: new Date(row.expires_at_ms).toISOString(),
    requested_max_age: row.max_age_s,
    auth_url: pageOf(token),
    updates_url: `${baseUrl}/auth/intents/${token}/status`,
    completed,
    confirmation_code: row.confirmation_code,
  });

  /** Why nobody can decide it any more. */
  function whyDecided(row: IntentRow | undefined, nowMs: number): Refusal | undefined {
    if (!row) return "intent-unknown";
    if (row.state === "authenticated") return "intent-linked";
    if (row.state === "denied") return "intent-denied";
    return isExpired(row, nowMs) ? "intent-expired" : undefined;
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

  async function countWrongCode(hash: string, userId: string, nowMs: number): Promise<Refused> {
    const state = await decisions.countWrongCode(hash, userId, nowMs);
    if (state === "pending") return refused("wrong-code");
    if (state === "denied") {
      onDecided(hash);
      return refused("intent-denied");
    }
    return refused(whyDecided(await store.read(hash), nowMs) ?? "intent-expired");
  }

  return {
    pageOf,

    async create(asked: CreateIntent, from: { ip: string; userAgent: string | undefined }): Promise<Intent> {
      const nowMs = now();
      const token = newSecret("int_");
      const row: NewIntent = {
        token_hash: hashIntentToken(token),
        confirmation_code: newConfirmationCode(),
        app_name: readAppName(asked.app_name),
        code_challenge: asked.code_challenge ?? null,
        max_age_s: asked.max_age ?? DEFAULT_MAX_AGE_S,
        created_at_ms: nowMs,
        expires_at_ms: nowMs + INTENT_LIFE_MS,
        created_address: plainAddress(from.ip),
        created_program: programOf(from.userAgent),
      };
      await store.insert(row);
      onCreated?.(token, row);
      return onTheWire(token, row, false);
    },

    async read(token: string, hash: string): Promise<Intent | Refused> {
      const row = await store.read(hash);
      if (!row) return refused("intent-unknown");
      const nowMs = now();
      if (row.state === "denied") return refused("intent-denied");
      if (row.state === "pending") {
        return isExpired(row, nowMs) ? refused("intent-expired") : onTheWire(token, row, false);
      }
      const lives = row.session_id !== null && (await sessions.exists(row.session_id, nowMs));
      return lives ? onTheWire(token, row, true) : refused("session-ended");
    },

    async decide(token: string, hash: string, asked: DecideIntent, decider: Decider): Promise<Intent | Refused> {
      const { userId } = decider;
      const nowMs = now();
      const row = await store.read(hash);
      const why = whyDecided(row, nowMs);
      if (!row || why) return refused(why ?? "intent-unknown");
      const approves = asked.decision !== "deny";
      const isWrong =
        asked.confirmation_code !== undefined && !isSameCode(asked.confirmation_code, row.confirmation_code);
      if (approves && isWrong) return countWrongCode(hash, userId, nowMs);
      const decided = approves ? await approve(row, token, decider, nowMs) : await decisions.deny(hash, userId, nowMs);
      // Somebody else was first; what they decided is the answer.
      if (!decided) return refused(whyDecided(await store.read(hash), nowMs) ?? "intent-expired");
      onDecided(hash);
      return onTheWire(token, row, approves);
    },
  };
}
