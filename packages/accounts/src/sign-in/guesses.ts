import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import { callerKey, isThisMachine } from "@backplane/kit/http";
import type { RateLimit, RateLimiter, Take } from "@backplane/kit/rate-limiter";

/** Of an attempt to sign in: whom it is for, and whence it comes. */
export type Attempt = { account: string; address: string };

export type Reservation = { allowed: true; giveBack(): Promise<void> } | { allowed: false; retryAfterMs: number };

export type Guesses = {
  /**
   * Counts an attempt as a failure before it is known to be one: however many come at once, no more than the limits are
   * ever under way. What went well is given back.
   */
  reserve(attempt: Attempt): Promise<Reservation>;
};

export type GuessesOptions = {
  newLimiter: (limit: RateLimit) => RateLimiter;
  /** Whether this account has signed in from there before: strangers who use up its limit must not lock it out. */
  isFamiliar: (attempt: Attempt) => Promise<boolean>;
};

/** Slows guessing by one address at one account, by one at many, and by many at one. Only failures count. */
export function createGuesses({ newLimiter, isFamiliar }: GuessesOptions): Guesses {
  const windowMs = ACCOUNT_LIMITS.failureWindowMs;
  const byAddress = newLimiter({ name: "sign-in-address", limit: ACCOUNT_LIMITS.failuresPerAddress, windowMs });
  const byBoth = newLimiter({ name: "sign-in-both", limit: ACCOUNT_LIMITS.failuresPerAccountAndAddress, windowMs });
  const byAccount = newLimiter({ name: "sign-in-account", limit: ACCOUNT_LIMITS.failuresPerAccount, windowMs });

  return {
    async reserve({ account, address }) {
      const caller = callerKey(address);
      const taken: (() => Promise<void>)[] = [];
      const giveBack = async () => {
        await Promise.all(taken.map((undo) => undo()));
      };
      async function take(limiter: RateLimiter, key: string): Promise<Take> {
        const outcome = await limiter.take(key);
        if (outcome.allowed) taken.push(() => limiter.giveBack(key));
        return outcome;
      }
      async function refuse({ retryAfterMs }: Take): Promise<Reservation> {
        await giveBack();
        return { allowed: false, retryAfterMs };
      }

      if (!isThisMachine(caller)) {
        const ofAddress = await take(byAddress, caller);
        if (!ofAddress.allowed) return refuse(ofAddress);
      }
      const ofBoth = await take(byBoth, `${account} ${caller}`);
      if (!ofBoth.allowed) return refuse(ofBoth);
      const ofAccount = await take(byAccount, account);
      if (!ofAccount.allowed && !(await isFamiliar({ account, address }))) return refuse(ofAccount);
      return { allowed: true, giveBack };
    },
  };
}
