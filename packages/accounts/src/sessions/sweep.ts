import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";

/** Rows of one statement: others want the database too. */
const BATCH = 1_000;

/** Deletes the sessions whose time is over, and returns how many: they have not been answered for since it was. */
export async function sweepSessions({ durable }: Database<AccountTables>, nowMs: number): Promise<number> {
  for (let swept = 0; ; ) {
    const { numDeletedRows } = await durable
      .deleteFrom("sessions")
      .where("id", "in", (ended) =>
        ended.selectFrom("sessions").select("id").where("expires_at_ms", "<=", nowMs).limit(BATCH),
      )
      .executeTakeFirst();
    swept += Number(numDeletedRows);
    if (numDeletedRows < BATCH) return swept;
  }
}
