import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { claimName, emailTaken, nameTaken } from "./names.ts";

export type NewAccount = {
  name: string;
  displayName: string;
  email: string;
  /** Empty: this account has no password. */
  passwordHash: string;
};

/**
 * Makes an account with its name and returns its id, or throws 409: roll back then. Conflicts are passed over rather than
 * failed on, since PostgreSQL ends a transaction at its first failure and could not say any more which field it was.
 */
export async function insertAccount(
  transaction: Transaction<AccountTables>,
  { name, displayName, email, passwordHash }: NewAccount,
  nowMs: number,
): Promise<string> {
  const id = randomUUID();
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto("users")
    .values({
      id,
      name,
      display_name: displayName,
      email,
      password_hash: passwordHash,
      is_owner: 0,
      created_at_ms: nowMs,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) {
    const holder = await transaction
      .selectFrom("owner_names")
      .select("user_id")
      .where("name", "=", name.toLowerCase())
      .executeTakeFirst();
    throw holder ? nameTaken("is taken") : emailTaken();
  }
  await claimName(transaction, name, { userId: id });
  return id;
}
