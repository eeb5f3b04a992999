import type { Database } from "@backplane/kit/database";
import { hashSecret } from "@backplane/kit/secrets";
import { sql } from "kysely";
import type { AccountTables } from "../tables.ts";
import { decoyHash, type Passwords } from "../users/passwords.ts";
import type { AttemptLimits, FamiliarAddresses } from "./attempt-limits.ts";

export type SignInOutcome =
  | { outcome: "signed-in"; userId: string; isStillRight: () => Promise<boolean> }
  | { outcome: "failed" }
  | { outcome: "slowed"; retryAfterMs: number };

export type SignInOptions = {
  database: Database<AccountTables>;
  passwords: Pick<Passwords, "verifyPassword">;
  attemptLimits: AttemptLimits;
  familiar: Pick<FamiliarAddresses, "remember">;
};

export type SignIn = (attempt: { nameOrEmail: string; password: string; address: string }) => Promise<SignInOutcome>;

/** Checks a name or email address and a password. An unknown account takes as long and counts the same as a known one. */
export function createSignIn({ database, passwords, attemptLimits, familiar }: SignInOptions): SignIn {
  const decoy = decoyHash();

  return async ({ nameOrEmail, password, address }) => {
    const user = await findUser(database, nameOrEmail);
    const account = user?.id ?? hashSecret(nameOrEmail.toLowerCase());
    const attempt = { account, address };
    const reservation = await attemptLimits.reserve(attempt);
    if (!reservation.allowed) return { outcome: "slowed", retryAfterMs: reservation.retryAfterMs };
    let isRight: boolean;
    try {
      isRight = await passwords.verifyPassword(password, user?.password_hash || decoy);
    } catch (fault) {
      await reservation.giveBack();
      throw fault;
    }
    if (!user || !isRight) return { outcome: "failed" };
    await Promise.all([reservation.giveBack(), familiar.remember(attempt)]);
    const isStillRight = async () => (await findUser(database, user.name))?.password_hash === user.password_hash;
    return { outcome: "signed-in", userId: user.id, isStillRight };
  };
}

/** Email addresses contain an "@", names do not. */
async function findUser({ durable }: Database<AccountTables>, nameOrEmail: string) {
  const column = nameOrEmail.includes("@") ? "email" : "name";
  return durable
    .selectFrom("users")
    .select(["id", "name", "password_hash"])
    .where(sql`lower(${sql.ref(column)})`, "=", sql`lower(${nameOrEmail})`)
    .executeTakeFirst();
}
