import { randomUUID } from "node:crypto";
import { type CreateOrganisation, ORGANISATION_LIMITS, type Organisation } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { claimName } from "../users/names.ts";
import { lockUser } from "../users/users.ts";
import { lockMembership } from "./membership.ts";

/** Who makes it is its first owner. */
export async function createOrganisation(
  { durable }: Database<AccountTables>,
  creator: { userId: string; userName: string },
  { name, display_name = "" }: CreateOrganisation,
  nowMs: number,
): Promise<Organisation> {
  const displayName = display_name.trim();
  await durable.transaction().execute(async (transaction) => {
    const isThere = await lockUser(transaction, creator.userId);
    if (!isThere) throw new Problem("not-signed-in");
    const mayJoin = await hasRoomForOrganisation(transaction, creator.userId);
    if (!mayJoin) {
      throw new Problem("too-many-of-these", {
        detail: `You are in ${ORGANISATION_LIMITS.maxPerUser} organisations. Leave one first.`,
      });
    }
    const id = randomUUID();
    await transaction
      .insertInto("organisations")
      .values({ id, name, display_name: displayName, created_at_ms: nowMs })
      .execute();
    await claimName(transaction, name, { organisationId: id });
    await transaction
      .insertInto("memberships")
      .values({ organisation_id: id, user_id: creator.userId, role: "owner", added_at_ms: nowMs })
      .execute();
  });
  return { name, display_name: displayName || name, members: [{ name: creator.userName, role: "owner" }] };
}

/** Holds for as long as the caller has `lockUser` of the person. */
export async function hasRoomForOrganisation(
  transaction: Transaction<AccountTables>,
  userId: string,
): Promise<boolean> {
  const { count } = await transaction
    .selectFrom("memberships")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return count < ORGANISATION_LIMITS.maxPerUser;
}

/** With its name and memberships. "unknown-organisation" also when the person is not in it. */
export async function removeOrganisation(
  { durable }: Database<AccountTables>,
  userId: string,
  name: string,
): Promise<"removed" | "unknown-organisation" | "not-owner"> {
  return durable.transaction().execute(async (transaction) => {
    const membership = await lockMembership(transaction, userId, name);
    if (!membership) return "unknown-organisation";
    if (membership.role !== "owner") return "not-owner";
    await transaction.deleteFrom("organisations").where("id", "=", membership.organisationId).execute();
    return "removed";
  });
}
