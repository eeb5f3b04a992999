import { BoundedMap } from "@backplane/kit/bounded-map";
import type { Caller } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";

/** How long an answer of the database is used: every instance notices a revocation within it, even without the bus. */
export const CALLER_LIFE_MS = 1_000;
const MAX_CALLERS = 10_000;

export type KnownCaller = {
  /** What `whoIsCalling` returns, made once: a hit allocates nothing. */
  readonly answer: Promise<Caller>;
  readonly credentialId: string;
  readonly readAtMs: number;
  /** Infinity for an API key. */
  readonly expiresAtMs: number;
};

/** The callers of the last second, by the credential they sent. */
export function createKnownCallers(now: Clock, maxEntries: number = MAX_CALLERS) {
  const callers = new BoundedMap<string, KnownCaller>({ maxEntries, maxAgeMs: CALLER_LIFE_MS, now });

  return {
    find(credential: string): KnownCaller | undefined {
      const known = callers.get(credential);
      if (known === undefined) return undefined;
      const nowMs = now();
      // A clock that is set back must not make an entry live longer.
      const isFresh = nowMs >= known.readAtMs && nowMs - known.readAtMs < CALLER_LIFE_MS && nowMs < known.expiresAtMs;
      return isFresh ? known : undefined;
    },

    add(credential: string, known: KnownCaller): void {
      callers.set(credential, known);
    },

    drop(credentialIds: ReadonlySet<string>): void {
      for (const [credential, { credentialId }] of callers.entries()) {
        if (credentialIds.has(credentialId)) callers.delete(credential);
      }
    },

    size: (): number => callers.size,
  };
}
