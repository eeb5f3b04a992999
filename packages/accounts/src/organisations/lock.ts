import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";

/**
 * Whoever changes who is in an organisation takes turns by this, on both engines. False: it is gone.
 * Who locks a person too locks the person first, so that no two wait for each other.
 */
export async function lockOrganisation(transaction: Transaction<AccountTables>, id: string): Promise<boolean> {
  // SQLite knows no "for update"; an update that changes nothing locks the row on both.
  const { numUpdatedRows } = await transaction
    .updateTable("organisations")
    .set((row) => ({ created_at_ms: row.ref("created_at_ms") }))
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
