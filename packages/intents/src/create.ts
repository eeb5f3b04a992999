import { type CreateIntent, DEFAULT_MAX_AGE_S, INTENT_LIFE_MS, type Intent } from "@backplane/contract/intents";
import type { Clock } from "@backplane/kit/clock";
import { plainAddress, programOf } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { newSecret } from "@backplane/kit/secrets";
import { isExpired, type Refused, refused } from "./refusal.ts";
import { hashIntentToken, newConfirmationCode } from "./secrets.ts";
import type { Sessions } from "./sessions.ts";
import type { IntentStore, NewIntent } from "./store.ts";

/** The intent as programs and pages see it. */
export type DescribeIntent = (token: string, row: NewIntent, completed: boolean) => Intent;

export type IntentPages = { pageOf(token: string): string; describe: DescribeIntent };

/** `authUrl`: where people approve. `baseUrl`: where programs ask. */
export function createIntentPages({ authUrl, baseUrl }: { authUrl: string; baseUrl: string }): IntentPages {
  const pageOf = (token: string): string => `${authUrl}/auth/intent?token=${encodeURIComponent(token)}`;
  return {
    pageOf,
    describe: (token, row, completed) => ({
      token,
      created_at: new Date(row.created_at_ms).toISOString(),
      expires_at: new Date(row.expires_at_ms).toISOString(),
      requested_max_age: row.max_age_s,
      auth_url: pageOf(token),
      updates_url: `${baseUrl}/auth/intents/${token}/status`,
      completed,
      confirmation_code: row.confirmation_code,
    }),
  };
}

type CreateOptions = {
  store: Pick<IntentStore, "insert" | "read">;
  sessions: Pick<Sessions, "exists">;
  now: Clock;
  describe: DescribeIntent;
  onCreated: (token: string, row: NewIntent) => void;
};

export type IntentRules = ReturnType<typeof createIntentRules>;

/** The first calls of a program: it creates an intent, and reads it. */
export function createIntentRules({ store, sessions, now, describe, onCreated }: CreateOptions) {
  return {
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
      onCreated(token, row);
      return describe(token, row, false);
    },

    async read(token: string, hash: string): Promise<Intent | Refused> {
      const row = await store.read(hash);
      if (!row) return refused("intent-unknown");
      const nowMs = now();
      if (row.state === "denied") return refused("intent-denied");
      if (row.state === "pending") {
        return isExpired(row, nowMs) ? refused("intent-expired") : describe(token, row, false);
      }
      const exists = row.session_id !== null && (await sessions.exists(row.session_id, nowMs));
      return exists ? describe(token, row, true) : refused("session-ended");
    },
  };
}

/** Characters that could break a line, reorder text or hide: controls, lone surrogates, line ends, bidi, zero width. */
const DECEPTIVE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD]/u;

/** The name a program gives itself, safe to show; else 422. */
export function readAppName(given: string | undefined): string | null {
  if (given === undefined) return null;
  const name = given.trim();
  if (name === "") throw invalidName("is blank");
  if (DECEPTIVE.test(name)) throw invalidName("contains control or invisible characters");
  return name;
}

const invalidName = (message: string): Problem =>
  new Problem("invalid-input", { detail: `/app_name ${message}.`, errors: [{ pointer: "/app_name", message }] });
