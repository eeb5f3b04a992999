import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { lockOrganisation } from "./lock.ts";
import { isLastOwner } from "./membership.ts";

/**
 * Before an account goes: every organisation it alone owns gets another owner. The caller holds `lockUser` of the account,
 * so that it is given no organisation meanwhile.
 */
export async function handOverOrganisations(
  transaction: Transaction<AccountTables>,
  { from, to, nowMs }: { from: string; to: string; nowMs: number },
): Promise<void> {
  const owned = await transaction
    .selectFrom("memberships")
    .select("organisation_id")
    .where("user_id", "=", from)
    .where("role", "=", "owner")
    // One order for all: two removals at once do not wait for each other.
    .orderBy("organisation_id")
    .execute();
  for (const { organisation_id } of owned) {
    await lockOrganisation(transaction, organisation_id);
    const isLast = await isLastOwner(transaction, organisation_id, from);
    if (!isLast) continue;
    await transaction
      .insertInto("memberships")
      .values({ organisation_id, user_id: to, role: "owner", added_at_ms: nowMs })
      .onConflict((conflict) => conflict.columns(["organisation_id", "user_id"]).doUpdateSet({ role: "owner" }))
      .execute();
  }
}
