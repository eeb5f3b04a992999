import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import { Problem } from "@backplane/kit/problems";
import { hashPassword, verifyPassword } from "./passwords.ts";

export type Passwords = {
  hashPassword(password: string): Promise<string>;
  verifyPassword(password: string, hash: string): Promise<boolean>;
};

type Bounds = Pick<typeof ACCOUNT_LIMITS, "maxHashing" | "maxWaitingForHash">;

/** The same, a few at a time: each takes memory and a thread, and anybody may ask for one. One for a whole process. */
export function boundPasswords(
  { maxHashing, maxWaitingForHash }: Bounds = ACCOUNT_LIMITS,
  unbounded: Passwords = { hashPassword, verifyPassword },
): Passwords {
  const waiting: (() => void)[] = [];
  let hashing = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (hashing < maxHashing) hashing += 1;
    else {
      if (waiting.length >= maxWaitingForHash) {
        throw new Problem("not-ready", {
          detail: "Too many people sign in at this moment. Try again in a few seconds.",
          headers: { "retry-after": "3" },
        });
      }
      // Whoever ends hands its place on, so that nobody who comes later is faster.
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else hashing -= 1;
    }
  }

  return {
    hashPassword: (password) => inTurn(() => unbounded.hashPassword(password)),
    verifyPassword: (password, hash) => inTurn(() => unbounded.verifyPassword(password, hash)),
  };
}
