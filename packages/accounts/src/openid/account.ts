import { randomBytes } from "node:crypto";
import { ACCOUNT_LIMITS, OPENID_LIMITS } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import type { AccountTables } from "../tables.ts";
import { insertUser } from "../users/users.ts";
import type { Identity, PersonClaims } from "./provider.ts";
import { insertIdentity } from "./store.ts";

/** `identity-taken`: the same person was faster in another window. */
export type MadeAccount = { userId: string } | "identity-taken";

/**
 * Creates an account without a password for a person at the provider. If an account with the same email address exists, it
 * is neither used nor changed: control of a mailbox at the provider must not give access to it.
 */
export async function makeAccount(
  { durable }: Database<AccountTables>,
  identity: Identity,
  claims: PersonClaims,
  nowMs: number,
): Promise<MadeAccount> {
  let email = verifiedEmail(claims);
  for (const name of nameCandidates(claims, newSuffix)) {
    let outcome = await attempt(name);
    if (outcome === "email-taken" && email !== undefined) {
      email = undefined;
      outcome = await attempt(name);
    }
    if (outcome !== "name-taken" && outcome !== "email-taken") return outcome;
  }
  throw new Error("all names that were tried are taken");

  async function attempt(name: string): Promise<MadeAccount | "name-taken" | "email-taken"> {
    const account = { name, displayName: displayName(claims), email: email ?? `${name}@localhost`, passwordHash: "" };
    try {
      return await durable.transaction().execute(async (transaction) => {
        const userId = await insertUser(transaction, account, nowMs);
        if (!(await insertIdentity(transaction, identity, userId, nowMs))) throw new IdentityTaken();
        return { userId };
      });
    } catch (error) {
      if (error instanceof IdentityTaken) return "identity-taken";
      if (error instanceof Problem && (error.code === "name-taken" || error.code === "email-taken")) return error.code;
      throw error;
    }
  }
}

const newSuffix = () => randomBytes(4).toString("hex");

/** Thrown to roll back. */
class IdentityTaken extends Error {}

const EMAIL = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;

/** The email address, if the provider has verified that it belongs to the person. */
export function verifiedEmail({ email, email_verified }: PersonClaims): string | undefined {
  if (email_verified !== true || typeof email !== "string") return undefined;
  return EMAIL.test(email) && email.length <= ACCOUNT_LIMITS.maxEmailLength ? email : undefined;
}

export function displayName({ name }: PersonClaims): string {
  if (typeof name !== "string") return "";
  const plain = name.replace(/\p{C}/gu, "").trim();
  return plain.slice(0, ACCOUNT_LIMITS.maxDisplayNameLength).trim().toWellFormed();
}

/** Names to try one after the other, derived from what the provider calls the person. */
export function* nameCandidates(claims: PersonClaims, newSuffix: () => string): Generator<string> {
  const { preferred_username, email, name } = claims;
  const base = [preferred_username, email, name].map(derivedName).find((derived) => derived !== "") ?? "person";
  yield base;
  for (let number = 2; number <= OPENID_LIMITS.maxNumberedNames; number += 1) yield `${base}-${number}`;
  for (let attempt = 0; attempt < OPENID_LIMITS.maxRandomNames; attempt += 1) yield `${base}-${newSuffix()}`;
}

/** A name that fits NAME_PATTERN, or empty when no usable character is left. Of an email address, the part before the @. */
function derivedName(text: unknown): string {
  if (typeof text !== "string") return "";
  const [local = ""] = text.slice(0, 256).split("@");
  const plain = local
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-zA-Z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "");
  return plain.slice(0, OPENID_LIMITS.maxDerivedNameLength).replace(/(?<![._-])[._-]+$/, "");
}
