import { BoundedMap } from "@backplane/kit/bounded-map";
import type { Clock } from "@backplane/kit/clock";
import { callerKey, programOf } from "@backplane/kit/http";
import { isExpired, type Refused, refused } from "./refusal.ts";
import type { RequestStore } from "./request.ts";
import { provesChallenge, unsealToken } from "./secrets.ts";
import type { Sessions } from "./sessions.ts";
import type { IntentStore, StatusRow } from "./store.ts";

/** The consumer of an intent with a challenge: the holder of its verifier, at any address. */
const VERIFIER_HOLDER = "verifier";
/** How often a refusal of the same caller is recorded again. */
const REFUSED_AGAIN_MS = 60_000;
/** A caller that was forgotten is written once more, which changes nothing. */
const MAX_REMEMBERED_CALLERS = 10_000;

/** A program that asks for the status of an intent. */
export type Asker = {
  /** Its address, as `callerKey` makes it. */
  key: string;
  verifier: string | undefined;
  userAgent: string | undefined;
};

/** An intent, and the consumer that wants its token. */
export type Retrieval = { hash: string; token: string; consumer: string };

export type Waiting = { state: "pending"; consumer: string; expiresAtMs: number };
export type Retrieved = { state: "authenticated"; session_token: string };

type StatusOptions = {
  store: Pick<IntentStore, "readStatus" | "bind">;
  requests: Pick<RequestStore, "addCaller">;
  sessions: Pick<Sessions, "exists" | "setAddress" | "noteRefused">;
  now: Clock;
};

export type StatusRules = ReturnType<typeof createStatusRules>;

/** Who may wait for an intent, and who gets the session token. */
export function createStatusRules({ store, requests, sessions, now }: StatusOptions) {
  const noteCaller = createCallerNotes(requests, now);

  /** The consumer that receives the token: this one if it is the first. */
  async function consumerOf(row: StatusRow, { hash, consumer }: Retrieval, sessionId: string, nowMs: number) {
    if (row.consumer !== null) return row.consumer;
    if (!(await store.bind(hash, consumer, nowMs))) return (await store.readStatus(hash))?.consumer;
    const isElsewhere = consumer !== VERIFIER_HOLDER && consumer !== callerKey(row.created_address);
    // The session is used from where its token was retrieved, not from where it was asked for.
    if (isElsewhere) await sessions.setAddress(sessionId, consumer);
    return consumer;
  }

  /** The session token of an approved intent, for its one consumer, for as long as the session exists. */
  async function retrieve(row: StatusRow, retrieval: Retrieval): Promise<Retrieved | Refused> {
    const nowMs = now();
    const { session_id: sessionId, sealed_token: sealed } = row;
    if (sessionId === null || sealed === null) return refused("session-ended");
    if (!(await sessions.exists(sessionId, nowMs))) return refused("session-ended");
    const consumer = await consumerOf(row, retrieval, sessionId, nowMs);
    if (consumer !== retrieval.consumer) {
      await sessions.noteRefused(sessionId, retrieval.consumer, nowMs, REFUSED_AGAIN_MS);
      return refused("caller-mismatch");
    }
    return { state: "authenticated", session_token: unsealToken(retrieval.token, sealed) };
  }

  return {
    retrieve,

    async ask(token: string, hash: string, asker: Asker): Promise<Waiting | Retrieved | Refused> {
      const row = await store.readStatus(hash);
      if (!row) return refused("intent-unknown");
      const consumer = identify(row.code_challenge, asker);
      if (typeof consumer !== "string") return consumer;
      if (row.state === "authenticated") return retrieve(row, { hash, token, consumer });
      if (row.state === "denied") return refused("intent-denied");
      if (isExpired(row, now())) return refused("intent-expired");
      if (asker.key !== callerKey(row.created_address)) await noteCaller(hash, asker);
      return { state: "pending", consumer, expiresAtMs: row.expires_at_ms };
    },
  };
}

/** The consumer that this caller would be, or why it cannot be one. */
function identify(challenge: string | null, { key, verifier }: Asker): string | Refused {
  if (challenge === null) return key;
  if (verifier === undefined || verifier === "") return refused("verifier-needed");
  return provesChallenge(verifier, challenge) ? VERIFIER_HOLDER : refused("verifier-mismatch");
}

/** Records every caller that waits for an intent that was created at another address; once, not at every poll. */
function createCallerNotes(requests: Pick<RequestStore, "addCaller">, now: Clock) {
  const seen = new BoundedMap<string, true>({ maxEntries: MAX_REMEMBERED_CALLERS, now });
  return async (hash: string, { key, userAgent }: Asker): Promise<void> => {
    if (seen.get(`${hash} ${key}`)) return;
    await requests.addCaller(hash, { address: key, program: programOf(userAgent), first_seen_ms: now() });
    seen.set(`${hash} ${key}`, true);
  };
}
