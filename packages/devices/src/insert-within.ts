import { type Database, isUniqueViolation } from "@backplane/kit/database";
import { type Insertable, sql } from "kysely";
import type { DevicesTables } from "./tables.ts";

type Limited = "devices_keys" | "devices_sources";

/** Adds a row, unless the workspace has as many as it may have, or one that must be the only one. */
export async function insertWithin<Table extends Limited>(
  { engine, durable }: Database<DevicesTables>,
  {
    table,
    row,
    most,
  }: { table: Table; row: Insertable<DevicesTables[Table]> & { workspace_id: string }; most: number },
): Promise<"added" | "too-many" | "taken"> {
  try {
    return await durable.transaction().execute(async (transaction) => {
      // On SQLite a transaction is alone; on PostgreSQL the count must not change before the insert.
      if (engine === "postgres")
        await sql`select pg_advisory_xact_lock(hashtext(${`${table} ${row.workspace_id}`}))`.execute(transaction);
      const { count } = await transaction
        .selectFrom(table as Limited)
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("workspace_id", "=", row.workspace_id)
        .executeTakeFirstOrThrow();
      if (count >= most) return "too-many";
      await transaction
        .insertInto(table as Limited)
        .values(row as never)
        .execute();
      return "added";
    });
  } catch (error) {
    if (isUniqueViolation(error)) return "taken";
    throw error;
  }
}
