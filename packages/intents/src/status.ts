import type { Clock } from "@backplane/kit/clock";
import { callerKey } from "@backplane/kit/http";
import { isExpired, type Refused, refused } from "./refusal.ts";
import { unsealToken } from "./seal.ts";
import type { Sessions } from "./sessions.ts";
import type { IntentStanding, IntentStore } from "./store.ts";
import { provesChallenge } from "./verifier.ts";

/** The consumer of an intent with a challenge: whoever has its verifier, wherever it is. */
const VERIFIER_HOLDER = "verifier";
/** How often the same refused caller is noted again. */
const REFUSED_AGAIN_MS = 60_000;

export type Asker = {
  /** Its address, as `callerKey` makes it. */
  key: string;
  verifier: string | undefined;
  userAgent: string | undefined;
};

/** An intent, and as whom its token would be retrieved. */
export type Retrieval = { hash: string; token: string; consumer: string };

export type Waiting = { state: "pending"; consumer: string; expiresAtMs: number };
export type Retrieved = { state: "authenticated"; session_token: string };

export type StatusRules = ReturnType<typeof createStatusRules>;

export function createStatusRules({
  store,
  sessions,
  now,
  noteCaller,
}: {
  store: IntentStore;
  sessions: Pick<Sessions, "exists" | "setAddress" | "noteRefused">;
  now: Clock;
  /** A caller from another address than the creator's waits too. */
  noteCaller: (hash: string, asker: Asker) => Promise<void>;
}) {
  /** The consumer, or why it is none. */
  function identify(challenge: string | null, { key, verifier }: Asker): string | Refused {
    if (challenge === null) return key;
    if (verifier === undefined || verifier === "") return refused("verifier-needed");
    return provesChallenge(verifier, challenge) ? VERIFIER_HOLDER : refused("verifier-mismatch");
  }

  /** Whose token it is: ours if nobody was before us. */
  async function holderOf(standing: IntentStanding, { hash, consumer }: Retrieval, sessionId: string, nowMs: number) {
    if (standing.consumer !== null) return standing.consumer;
    if (!(await store.bind(hash, consumer, nowMs))) return (await store.readStanding(hash))?.consumer;
    const isElsewhere = consumer !== VERIFIER_HOLDER && consumer !== callerKey(standing.created_address);
    // The session is used from where its token was retrieved, not from where it was asked for.
    if (isElsewhere) await sessions.setAddress(sessionId, consumer);
    return consumer;
  }

  /** The session token of an approved intent, for its one consumer, as long as the session exists. */
  async function retrieve(standing: IntentStanding, retrieval: Retrieval): Promise<Retrieved | Refused> {
    const nowMs = now();
    const { session_id: sessionId, sealed_token: sealed } = standing;
    if (sessionId === null || sealed === null) return refused("session-ended");
    if (!(await sessions.exists(sessionId, nowMs))) return refused("session-ended");
    const holder = await holderOf(standing, retrieval, sessionId, nowMs);
    if (holder !== retrieval.consumer) {
      await sessions.noteRefused(sessionId, retrieval.consumer, nowMs, REFUSED_AGAIN_MS);
      return refused("caller-mismatch");
    }
    return { state: "authenticated", session_token: unsealToken(retrieval.token, sealed) };
  }

  return {
    retrieve,

    async ask(token: string, hash: string, asker: Asker): Promise<Waiting | Retrieved | Refused> {
      const standing = await store.readStanding(hash);
      if (!standing) return refused("intent-unknown");
      const consumer = identify(standing.code_challenge, asker);
      if (typeof consumer !== "string") return consumer;
      if (standing.state === "authenticated") return retrieve(standing, { hash, token, consumer });
      if (standing.state === "denied") return refused("intent-denied");
      if (isExpired(standing, now())) return refused("intent-expired");
      if (asker.key !== callerKey(standing.created_address)) await noteCaller(hash, asker);
      return { state: "pending", consumer, expiresAtMs: standing.expires_at_ms };
    },
  };
}
