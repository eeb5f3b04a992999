import { BoundedMap } from "@backplane/kit/bounded-map";
import type { Clock } from "@backplane/kit/clock";
import { callerKey, plainAddress } from "@backplane/kit/http";
import { pollKeyOf } from "./limits.ts";
import { provesChallenge } from "./secrets.ts";
import type { NewIntent } from "./store.ts";

/** Older ones are read from the table again. */
const MAX_INTENTS = 20_000;

type PendingIntent = {
  hash: string;
  address: string;
  /** Put together once: a program asks hundreds of times. */
  pollKey: string;
  challenge: string | null;
  expiresAtMs: number;
};

export type KnownPending = ReturnType<typeof createKnownPending>;

/**
 * Intents that this process created and that nobody has decided yet. Where no other process can decide them, this is enough
 * to answer "not yet", which is most of what programs ask for.
 */
export function createKnownPending(now: Clock, maxEntries = MAX_INTENTS) {
  const byToken = new BoundedMap<string, PendingIntent>({ maxEntries, now });
  const tokens = new BoundedMap<string, string>({ maxEntries, now });
  return {
    add(token: string, row: NewIntent): void {
      const { token_hash: hash, created_address: address, code_challenge: challenge, expires_at_ms: expiresAtMs } = row;
      byToken.set(token, { hash, address, pollKey: pollKeyOf(hash, callerKey(address)), challenge, expiresAtMs });
      tokens.set(hash, token);
    },

    /** The intent, if it is known to be pending and this is the program that made it. */
    find(token: string, address: string, verifier: unknown): Pick<PendingIntent, "hash" | "pollKey"> | undefined {
      const known = byToken.get(token);
      if (known === undefined || now() >= known.expiresAtMs || plainAddress(address) !== known.address)
        return undefined;
      if (known.challenge === null) return known;
      return typeof verifier === "string" && provesChallenge(verifier, known.challenge) ? known : undefined;
    },

    /** It was decided. */
    forget(hash: string): void {
      const token = tokens.get(hash);
      if (token === undefined) return;
      tokens.delete(hash);
      byToken.delete(token);
    },
  };
}
