import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import type { Bus } from "@backplane/kit/bus";
import { callerKey, isThisMachine } from "@backplane/kit/http";
import type { RateLimit, RateLimiter, Take } from "@backplane/kit/rate-limiter";
import { hashSecret } from "@backplane/kit/secrets";

/** An attempt to sign in: for which account, and from which address. */
export type Attempt = { account: string; address: string };

export type Reservation = { allowed: true; giveBack(): Promise<void> } | { allowed: false; retryAfterMs: number };

export type AttemptLimits = {
  /**
   * Counts an attempt as a failure before its outcome is known, so that concurrent attempts cannot exceed the limits.
   * Give back an attempt that succeeded.
   */
  reserve(attempt: Attempt): Promise<Reservation>;
};

export type AttemptLimitsOptions = {
  newLimiter: (limit: RateLimit) => RateLimiter;
  /** Whether this account has signed in from there before: strangers who use up its limit must not lock out its owner. */
  isFamiliar: (attempt: Attempt) => Promise<boolean>;
};

/** Limits failed attempts per address, per account, and per both together. */
export function createAttemptLimits({ newLimiter, isFamiliar }: AttemptLimitsOptions): AttemptLimits {
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
        const fromAddress = await take(byAddress, caller);
        if (!fromAddress.allowed) return refuse(fromAddress);
      }
      const both = await take(byBoth, `${account} ${caller}`);
      if (!both.allowed) return refuse(both);
      const forAccount = await take(byAccount, account);
      if (!forAccount.allowed && !(await isFamiliar({ account, address }))) return refuse(forAccount);
      return { allowed: true, giveBack };
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
