import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import type { Bus } from "@backplane/kit/bus";
import { callerKey, isThisMachine } from "@backplane/kit/http";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import { hashSecret } from "@backplane/kit/secrets";

/** An attempt to sign in: for which account, and from which address. */
export type Attempt = { account: string; address: string };

/** "familiar-only": over a limit, but it may still succeed for a person who signed in from there before. */
export type Reservation =
  | { state: "allowed"; giveBack(): Promise<void> }
  | { state: "familiar-only"; retryAfterMs: number; giveBack(): Promise<void> }
  | { state: "refused"; retryAfterMs: number };

export type AttemptLimits = {
  /**
   * Counts an attempt as a failure before its outcome is known, so that concurrent attempts cannot exceed the limits.
   * Give back an attempt that succeeded.
   */
  reserve(attempt: Attempt): Promise<Reservation>;
};

/**
 * Limits failed attempts per address, per account, and per both together. Beyond that, a number of attempts per address is
 * still checked, whatever they are for: so strangers cannot lock people out where they signed in before, nor find out by
 * the answer, or by how long it takes, who that is.
 */
export function createAttemptLimits(newLimiter: (limit: RateLimit) => RateLimiter): AttemptLimits {
  const windowMs = ACCOUNT_LIMITS.failureWindowMs;
  const byAddress = newLimiter({ name: "sign-in-address", limit: ACCOUNT_LIMITS.failuresPerAddress, windowMs });
  const byBoth = newLimiter({ name: "sign-in-both", limit: ACCOUNT_LIMITS.failuresPerAccountAndAddress, windowMs });
  const byAccount = newLimiter({ name: "sign-in-account", limit: ACCOUNT_LIMITS.failuresPerAccount, windowMs });
  const beyond = newLimiter({ name: "sign-in-beyond", limit: ACCOUNT_LIMITS.checksBeyondLimits, windowMs });

  return {
    async reserve({ account, address }) {
      const caller = callerKey(address);
      const limits: [RateLimiter, string][] = [
        ...(isThisMachine(caller) ? [] : [[byAddress, caller] satisfies [RateLimiter, string]]),
        [byBoth, `${account} ${caller}`],
        [byAccount, account],
      ];
      const taken: (() => Promise<void>)[] = [];
      const giveBack = async () => {
        await Promise.all(taken.map((undo) => undo()));
      };
      for (const [limiter, key] of limits) {
        const { allowed, retryAfterMs } = await limiter.take(key);
        if (!allowed) {
          await giveBack();
          const { allowed: isChecked } = await beyond.take(caller);
          if (!isChecked) return { state: "refused", retryAfterMs };
          return { state: "familiar-only", retryAfterMs, giveBack: () => beyond.giveBack(caller) };
        }
        taken.push(() => limiter.giveBack(key));
      }
      return { state: "allowed", giveBack };
    },
  };
}

/** How long the address of a successful sign-in is remembered. */
const MEMORY_MS = 30 * 24 * 3_600_000;
const SIGNED_IN = "1";

export type FamiliarAddresses = {
  remember(attempt: Attempt): Promise<void>;
  isFamiliar(attempt: Attempt): Promise<boolean>;
};

/** From where accounts signed in recently. On the bus, not in a table: losing it does little harm. */
export function createFamiliarAddresses(
  { claims }: Pick<Bus, "claims">,
  onFault: (error: unknown) => void,
): FamiliarAddresses {
  const keyOf = ({ account, address }: Attempt) => `signed-in:${hashSecret(`${account} ${callerKey(address)}`)}`;
  return {
    async remember(attempt) {
      try {
        const isNew = await claims.claim(keyOf(attempt), SIGNED_IN, MEMORY_MS);
        if (!isNew) await claims.exchange(keyOf(attempt), SIGNED_IN, SIGNED_IN, MEMORY_MS);
      } catch (error) {
        onFault(error);
      }
    },
    async isFamiliar(attempt) {
      try {
        return (await claims.read(keyOf(attempt))) !== undefined;
      } catch (error) {
        onFault(error);
        return false;
      }
    },
  };
}
