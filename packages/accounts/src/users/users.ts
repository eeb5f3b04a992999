import { randomUUID } from "node:crypto";
import { Problem } from "@backplane/kit/problems";
import { type Kysely, type RawBuilder, type SqlBool, sql, type Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { claimName, emailTaken, foldName, nameTaken } from "./names.ts";

/**
 * Until the transaction or batch ends, no other one can count what this account has, add to it, or remove it. Changes no
 * row if there is no such account.
 */
export const userLock = (db: Kysely<AccountTables>, userId: string) =>
  // SQLite has no "for update"; an update that changes nothing locks the row on both engines.
  db
    .updateTable("users")
    .set((row) => ({ created_at_ms: row.ref("created_at_ms") }))
    .where("id", "=", userId);

/** Takes that lock. False: there is no such account. */
export async function lockUser(transaction: Transaction<AccountTables>, userId: string): Promise<boolean> {
  const { numUpdatedRows } = await userLock(transaction, userId).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The account with this name; undefined also for the name of an organisation. */
export async function findUserId(transaction: Transaction<AccountTables>, name: string): Promise<string | undefined> {
  const holder = await transaction
    .selectFrom("owner_names")
    .select("user_id as id")
    .where("name", "=", foldName(name))
    .executeTakeFirst();
  return holder?.id ?? undefined;
}

export const userExists = (userId: string): RawBuilder<SqlBool> =>
  sql`exists (select 1 from users where id = ${userId})`;

/** For a caller whose account was removed after the caller was identified. */
export const accountRemoved = (): Problem => new Problem("not-signed-in", { detail: "This account was removed." });

/** Locks the account of the caller; 401 when it was removed after the caller was identified. */
export async function lockCallersUser(transaction: Transaction<AccountTables>, userId: string): Promise<void> {
  const exists = await lockUser(transaction, userId);
  if (!exists) throw accountRemoved();
}

export type NewUser = {
  name: string;
  displayName: string;
  email: string;
  /** Empty: this account has no password. */
  passwordHash: string;
};

/**
 * Creates an account with its name and returns its id, or throws 409: roll back then. A conflict is detected by the number
 * of inserted rows, since PostgreSQL ends a transaction at its first error and could then not say which field it was.
 */
export async function insertUser(
  transaction: Transaction<AccountTables>,
  { name, displayName, email, passwordHash }: NewUser,
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
      .where("name", "=", foldName(name))
      .executeTakeFirst();
    throw holder ? nameTaken("is taken") : emailTaken();
  }
  await claimName(transaction, name, { userId: id });
  return id;
}
