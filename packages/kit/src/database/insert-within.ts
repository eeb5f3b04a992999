import { type Insertable, sql } from "kysely";
import { type Database, isUniqueViolation } from "./database.ts";

/** Every table whose rows belong to workspaces. */
type OfWorkspaces = Record<string, { workspace_id: string }>;

type Addition<Row> = {
  table: string;
  row: Insertable<Row> & { workspace_id: string };
  /** Rows of one workspace. */
  most: number;
};

/** Adds a row, unless the workspace has as many as it may have, or one that must be the only one. */
export async function insertWithin<Schema, Table extends keyof Schema & string>(
  database: Database<Schema>,
  { table, row, most }: Addition<Schema[Table]> & { table: Table },
): Promise<"added" | "too-many" | "taken"> {
  const { engine, durable } = database as unknown as Database<OfWorkspaces>;
  try {
    return await durable.transaction().execute(async (transaction) => {
      // On SQLite a transaction is alone; on PostgreSQL the count must not change before the insert.
      if (engine === "postgres")
        await sql`select pg_advisory_xact_lock(hashtext(${`${table} ${row.workspace_id}`}))`.execute(transaction);
      const { count } = await transaction
        .selectFrom(table as string)
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("workspace_id", "=", row.workspace_id)
        .executeTakeFirstOrThrow();
      if (count >= most) return "too-many";
      await transaction
        .insertInto(table as string)
        .values(row as never)
        .execute();
      return "added";
    });
  } catch (error) {
    if (isUniqueViolation(error)) return "taken";
    throw error;
  }
}
