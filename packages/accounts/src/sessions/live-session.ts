import { Problem } from "@backplane/kit/problems";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";

/**
 * 401 unless the session that asks is still there: whoever ended it meant everything that it began. Before a session makes
 * what outlives it, in the same transaction, after `lockUser`: those who end all sessions of an account take turns by that.
 */
export async function requireLiveSession(
  transaction: Transaction<AccountTables>,
  sessionId: string,
  nowMs: number,
): Promise<void> {
  const session = await transaction
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", sessionId)
    .where("expires_at_ms", ">", nowMs)
    .executeTakeFirst();
  if (!session) throw new Problem("not-signed-in", { detail: "This session has ended. Sign in again." });
}
