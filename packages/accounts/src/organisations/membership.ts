import { ORGANISATION_LIMITS, type Role } from "@backplane/contract/accounts";
import { Problem } from "@backplane/kit/problems";
import type { Kysely, Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { foldName } from "../users/names.ts";
import { noteRemoved } from "./owners.ts";

export type Membership = { organisationId: string; role: Role };

/** A person's role in an organisation; undefined when there is no such organisation, or the person is not in it. */
export async function findMembership(
  db: Kysely<AccountTables>,
  userId: string,
  name: string,
): Promise<Membership | undefined> {
  return db
    .selectFrom("owner_names")
    .innerJoin("memberships", "memberships.organisation_id", "owner_names.organisation_id")
    .select(["memberships.organisation_id as organisationId", "role"])
    .where("owner_names.name", "=", foldName(name))
    .where("memberships.user_id", "=", userId)
    .executeTakeFirst();
}

/** Like `findMembership`, read under the organisation's lock: it stays true until the transaction ends. */
export async function lockMembership(
  transaction: Transaction<AccountTables>,
  userId: string,
  name: string,
): Promise<Membership | undefined> {
  const found = await findMembership(transaction, userId, name);
  const exists = found !== undefined && (await lockOrganisation(transaction, found.organisationId));
  return exists ? findMembership(transaction, userId, name) : undefined;
}

/** Whether the organisation would have no owner without this one. */
export async function isLastOwner(db: Kysely<AccountTables>, organisationId: string, userId: string): Promise<boolean> {
  const owners = await db
    .selectFrom("memberships")
    .select("user_id")
    .where("organisation_id", "=", organisationId)
    .where("role", "=", "owner")
    .limit(2)
    .execute();
  return owners.length === 1 && owners[0]?.user_id === userId;
}

/** Adds a member, or gives them another role. A member has no invitation: it would change the role again. */
export async function putMember(
  transaction: Transaction<AccountTables>,
  { organisationId, userId, role }: Membership & { userId: string },
  nowMs: number,
): Promise<void> {
  await transaction
    .insertInto("memberships")
    .values({ organisation_id: organisationId, user_id: userId, role, added_at_ms: nowMs })
    .onConflict((conflict) => conflict.columns(["organisation_id", "user_id"]).doUpdateSet({ role }))
    .execute();
  await transaction
    .deleteFrom("organisation_invitations")
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .execute();
}

/** 409 when the person is in as many organisations as one can be. It holds while the caller holds `lockUser` of the person. */
export async function requireRoom(transaction: Transaction<AccountTables>, userId: string): Promise<void> {
  const { is_owner, count } = await transaction
    .selectFrom("users")
    .leftJoin("memberships", "memberships.user_id", "users.id")
    .select((row) => ["users.is_owner", row.fn.count<number>("memberships.user_id").as("count")])
    .where("users.id", "=", userId)
    .groupBy("users.is_owner")
    .executeTakeFirstOrThrow();
  if (is_owner === 1 || count < ORGANISATION_LIMITS.maxPerUser) return;
  throw new Problem("too-many-of-these", {
    detail: `You are in ${ORGANISATION_LIMITS.maxPerUser} organisations. Leave one first.`,
  });
}

export async function deleteOrganisation(
  transaction: Transaction<AccountTables>,
  organisationId: string,
  nowMs: number,
): Promise<void> {
  await transaction.deleteFrom("organisations").where("id", "=", organisationId).execute();
  await noteRemoved(transaction, organisationId, nowMs);
}

/**
 * Call it before an account is removed: every organisation that it alone owns gets another owner, or is removed when
 * nobody else is in it. The caller holds `lockUser` of the account, so that it cannot join another organisation in the
 * meantime. Returns the removed organisations.
 */
export async function handOverOrganisations(
  transaction: Transaction<AccountTables>,
  { from, to, nowMs }: { from: string; to: string; nowMs: number },
): Promise<string[]> {
  const removed: string[] = [];
  const owned = await transaction
    .selectFrom("memberships")
    .select("organisation_id as organisationId")
    .where("user_id", "=", from)
    .where("role", "=", "owner")
    // Always in the same order: two concurrent removals must not deadlock.
    .orderBy("organisation_id")
    .execute();
  for (const { organisationId } of owned) {
    await lockOrganisation(transaction, organisationId);
    const isLast = await isLastOwner(transaction, organisationId, from);
    if (!isLast) continue;
    if (await hasOthers(transaction, organisationId, from)) {
      await putMember(transaction, { organisationId, userId: to, role: "owner" }, nowMs);
      // A member has no invitation: it would change the role again.
      const invitation = transaction.deleteFrom("organisation_invitations").where("user_id", "=", to);
      await invitation.where("organisation_id", "=", organisationId).execute();
    } else {
      await deleteOrganisation(transaction, organisationId, nowMs);
      removed.push(organisationId);
    }
  }
  return removed;
}

async function hasOthers(db: Kysely<AccountTables>, organisationId: string, userId: string): Promise<boolean> {
  const other = await db
    .selectFrom("memberships")
    .select("user_id")
    .where("organisation_id", "=", organisationId)
    .where("user_id", "!=", userId)
    .executeTakeFirst();
  return other !== undefined;
}

/**
 * Nobody else changes who is in the organisation until the transaction ends. False: it was removed. To avoid deadlocks,
 * lock a person before an organisation.
 */
export async function lockOrganisation(transaction: Transaction<AccountTables>, id: string): Promise<boolean> {
  // SQLite has no "for update"; an update that changes nothing locks the row on both engines.
  const { numUpdatedRows } = await transaction
    .updateTable("organisations")
    .set((row) => ({ created_at_ms: row.ref("created_at_ms") }))
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
