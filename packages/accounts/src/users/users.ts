import { Problem } from "@backplane/kit/problems";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";

/** Whoever counts what an account has and then adds to it takes turns by this, on both engines. False: no such account. */
export async function lockUser(transaction: Transaction<AccountTables>, userId: string): Promise<boolean> {
  // SQLite knows no "for update"; an update that changes nothing locks the row on both.
  const { numUpdatedRows } = await transaction
    .updateTable("users")
    .set((row) => ({ created_at_ms: row.ref("created_at_ms") }))
    .where("id", "=", userId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The same, for an account whose caller is known; it may have been removed since. */
export async function lockCallersUser(transaction: Transaction<AccountTables>, userId: string): Promise<void> {
  const isThere = await lockUser(transaction, userId);
  if (!isThere) throw new Problem("not-signed-in", { detail: "This account was removed." });
}
