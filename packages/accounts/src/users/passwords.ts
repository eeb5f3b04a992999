import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import { limitConcurrency } from "@backplane/kit/concurrency";
import { Problem } from "@backplane/kit/problems";

export type Passwords = {
  hashPassword(password: string): Promise<string>;
  verifyPassword(password: string, hash: string): Promise<boolean>;
};

type Bounds = Pick<typeof ACCOUNT_LIMITS, "maxHashing" | "maxWaitingForHash">;

/** Hashes a few passwords at a time: each takes memory and a thread, and anybody may ask for one. One per process. */
export function boundPasswords(
  { maxHashing, maxWaitingForHash }: Bounds = ACCOUNT_LIMITS,
  unbounded: Passwords = { hashPassword, verifyPassword },
): Passwords {
  const limited = limitConcurrency({
    atOnce: maxHashing,
    maxWaiting: maxWaitingForHash,
    whenFull: () =>
      new Problem("not-ready", {
        detail: "Too many people are signing in right now. Try again in a few seconds.",
        headers: { "retry-after": "3" },
      }),
  });
  return {
    hashPassword: (password) => limited(() => unbounded.hashPassword(password)),
    verifyPassword: (password, hash) => limited(() => unbounded.verifyPassword(password, hash)),
  };
}

type Cost = { memoryKib: number; passes: number };

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
const COST: Cost = { memoryKib: 19 * 1024, passes: 2 };
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

const derive = promisify(argon2) as (algorithm: "argon2id", parameters: Argon2Parameters) => Promise<Buffer>;

/** The hash in the usual text form, with its parameters, so that they can be raised later. */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive("argon2id", {
    message: password,
    nonce: salt,
    parallelism: LANES,
    tagLength: TAG_BYTES,
    memory: cost.memoryKib,
    passes: cost.passes,
  });
  return toText(salt, tag, cost);
}

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash);
  if (!match) return false;
  const [, memory, passes, parallelism, salt = "", tag = ""] = match;
  const expected = Buffer.from(tag, "base64");
  const actual = await derive("argon2id", {
    message: password,
    nonce: Buffer.from(salt, "base64"),
    parallelism: Number(parallelism),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
  });
  return timingSafeEqual(actual, expected);
}

/** Takes as long to verify as a real hash, and no password matches it: for unknown accounts and those without a password. */
export const decoyHash = (): string => toText(randomBytes(SALT_BYTES), randomBytes(TAG_BYTES), COST);

const toText = (salt: Buffer, tag: Buffer, { memoryKib, passes }: Cost): string =>
  `$argon2id$v=19$m=${memoryKib},t=${passes},p=${LANES}$${unpadded(salt)}$${unpadded(tag)}`;

const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/(?<!=)=+$/, "");
