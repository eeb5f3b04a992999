import { randomBytes } from "node:crypto";
import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import type { AccountTables } from "../tables.ts";
import { insertAccount } from "../users/insert.ts";
import { displayName, nameCandidates, verifiedEmail } from "./person.ts";
import type { Identity, PersonClaims } from "./provider.ts";
import { insertIdentity } from "./store.ts";

/** `identity-taken`: the same person was faster in another window. */
export type MadeAccount = { userId: string } | "identity-taken";

/**
 * Makes an account without a password for somebody whom the provider knows. An address that has an account stays that
 * account's: who controls a mailbox at the provider must not get into it.
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
  throw new Error("every name that was tried is taken");

  async function attempt(name: string): Promise<MadeAccount | "name-taken" | "email-taken"> {
    const account = { name, displayName: displayName(claims), email: email ?? `${name}@localhost`, passwordHash: "" };
    try {
      return await durable.transaction().execute(async (transaction) => {
        const userId = await insertAccount(transaction, account, nowMs);
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
