import type { Clock } from "@backplane/kit/clock";

/** Intents of each of two generations; the older are asked for in the table again. */
const MAX_PER_GENERATION = 20_000;

export type PendingIntent = {
  hash: string;
  address: string;
  /** `callerKey` of the address. */
  key: string;
  challenge: string | null;
  expiresAtMs: number;
};
type Generation = { byToken: Map<string, PendingIntent>; tokens: Map<string, string> };

/**
 * Intents that this process made and that nobody has decided yet. Where it is the only process, and every decision goes
 * through it, that is all there is to know for the answer "not yet", which is most of what programs ask for.
 */
export function createKnownPending(now: Clock, maxPerGeneration = MAX_PER_GENERATION) {
  const newGeneration = (): Generation => ({ byToken: new Map(), tokens: new Map() });
  let young = newGeneration();
  let old = newGeneration();
  return {
    add(token: string, intent: PendingIntent): void {
      if (young.byToken.size >= maxPerGeneration) {
        old = young;
        young = newGeneration();
      }
      young.byToken.set(token, intent);
      young.tokens.set(intent.hash, token);
    },

    find(token: string): PendingIntent | undefined {
      const known = young.byToken.get(token) ?? old.byToken.get(token);
      return known !== undefined && now() < known.expiresAtMs ? known : undefined;
    },

    /** It was decided. */
    forget(hash: string): void {
      for (const { byToken, tokens } of [young, old]) {
        const token = tokens.get(hash);
        if (token === undefined) continue;
        tokens.delete(hash);
        byToken.delete(token);
      }
    },
  };
}

export type KnownPending = ReturnType<typeof createKnownPending>;
