import type { Caller } from "@backplane/kit/callers";

/** How long an answer of the database holds: what was revoked is unknown everywhere after it, even without the bus. */
export const CALLER_LIFE_MS = 1_000;
const MAX_CALLERS_PER_GENERATION = 10_000;

export type KnownCaller = {
  /** What `whoIsCalling` answers, made once: a hit allocates nothing. */
  readonly answer: Promise<Caller>;
  readonly credentialId: string;
  readonly readAtMs: number;
  /** Infinity for an API key. */
  readonly expiresAtMs: number;
};

/**
 * The callers of the last second, by what they sent. Two generations: when the younger is full or older than an entry's
 * life, the elder goes, and what was not asked for again with it.
 */
export function createKnownCallers(maxPerGeneration: number = MAX_CALLERS_PER_GENERATION) {
  let young = new Map<string, KnownCaller>();
  let old = new Map<string, KnownCaller>();
  let youngSinceMs = 0;

  const isFresh = ({ readAtMs, expiresAtMs }: KnownCaller, nowMs: number): boolean =>
    // A clock that was set back makes nothing live longer.
    nowMs >= readAtMs && nowMs - readAtMs < CALLER_LIFE_MS && nowMs < expiresAtMs;

  return {
    find(credential: string, nowMs: number): KnownCaller | undefined {
      const known = young.get(credential) ?? old.get(credential);
      return known !== undefined && isFresh(known, nowMs) ? known : undefined;
    },

    add(credential: string, known: KnownCaller): void {
      const ageMs = known.readAtMs - youngSinceMs;
      if (young.size >= maxPerGeneration || ageMs >= CALLER_LIFE_MS || ageMs < 0) {
        old = young;
        young = new Map();
        youngSinceMs = known.readAtMs;
      }
      young.set(credential, known);
    },

    drop(credentialIds: ReadonlySet<string>): void {
      for (const generation of [young, old]) {
        for (const [credential, { credentialId }] of generation) {
          if (credentialIds.has(credentialId)) generation.delete(credential);
        }
      }
    },

    size: (): number => young.size + old.size,
  };
}
