import type { Database } from "@backplane/kit/database";
import { hashSecret } from "@backplane/kit/secrets";
import { sql } from "kysely";
import type { AccountTables } from "../tables.ts";
import { foldName } from "../users/names.ts";
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
  familiar: FamiliarAddresses;
};

export type SignIn = (attempt: { nameOrEmail: string; password: string; address: string }) => Promise<SignInOutcome>;

/**
 * Checks a name or email address and a password. What is counted depends only on what was entered, never on whether there
 * is such an account or which name and address belong together, so that answers tell nothing about either.
 */
export function createSignIn({ database, passwords, attemptLimits, familiar }: SignInOptions): SignIn {
  const decoy = decoyHash();

  return async ({ nameOrEmail, password, address }) => {
    const user = await findUser(database, nameOrEmail);
    const reservation = await attemptLimits.reserve({ account: hashSecret(foldName(nameOrEmail)), address });
    if (reservation.state === "refused") return slowed(reservation);
    let isRight: boolean;
    try {
      isRight = await passwords.verifyPassword(password, user?.password_hash || decoy);
    } catch (fault) {
      await reservation.giveBack();
      throw fault;
    }
    const isOver = reservation.state === "familiar-only";
    const wasHere = { account: user?.id ?? "", address };
    if (!user || !isRight || (isOver && !(await familiar.isFamiliar(wasHere)))) {
      return isOver ? slowed(reservation) : { outcome: "failed" };
    }
    await Promise.all([reservation.giveBack(), familiar.remember(wasHere)]);
    const isStillRight = async () => (await findUser(database, user.name))?.password_hash === user.password_hash;
    return { outcome: "signed-in", userId: user.id, isStillRight };
  };
}

const slowed = ({ retryAfterMs }: { retryAfterMs: number }): SignInOutcome => ({ outcome: "slowed", retryAfterMs });

/** Email addresses contain an "@", names do not. */
async function findUser({ durable }: Database<AccountTables>, nameOrEmail: string) {
  const column = nameOrEmail.includes("@") ? "email" : "name";
  return durable
    .selectFrom("users")
    .select(["id", "name", "password_hash"])
    .where(sql<string>`lower(${sql.ref(column)})`, "=", foldName(nameOrEmail))
    .executeTakeFirst();
}
