import { ORGANISATION_LIMITS, type Role } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { findUserId, lockUser } from "../users/users.ts";
import { findMembership, isLastOwner, lockMembership, putMember } from "./membership.ts";
import { hasRoomForOrganisation } from "./organisations.ts";

export type MemberChange = {
  /** The caller. */
  byUserId: string;
  organisation: string;
  /** The name of the person who is added, changed or removed. */
  member: string;
};

/** "unknown-organisation" also when the caller is not in it. */
type Refused = "unknown-organisation" | "not-owner" | "unknown-member" | "last-owner";

export type MemberSet = "set" | Refused | "organisation-full" | "person-full";

/** Adds a member, or gives them another role. */
export async function setMember(
  { durable }: Database<AccountTables>,
  { byUserId, organisation, member }: MemberChange,
  role: Role,
  nowMs: number,
): Promise<MemberSet> {
  return durable.transaction().execute(async (transaction) => {
    const memberId = await findUserId(transaction, member);
    const exists = memberId !== undefined && (await lockUser(transaction, memberId));
    const own = await lockMembership(transaction, byUserId, organisation);
    if (!own) return "unknown-organisation";
    if (own.role !== "owner") return "not-owner";
    if (!exists) return "unknown-member";
    const { organisationId } = own;
    const before = await findMembership(transaction, memberId, organisation);
    if (!before) {
      const members = await countMembers(transaction, organisationId);
      if (members >= ORGANISATION_LIMITS.maxMembers) return "organisation-full";
      const mayJoin = await hasRoomForOrganisation(transaction, memberId);
      if (!mayJoin) return "person-full";
    } else if (role !== "owner" && (await isLastOwner(transaction, organisationId, memberId))) {
      return "last-owner";
    }
    await putMember(transaction, { organisationId, userId: memberId, role }, nowMs);
    return "set";
  });
}

/** An owner removes a member, or a member leaves. When all owners leave at the same time, one of them is refused. */
export async function removeMember(
  { durable }: Database<AccountTables>,
  { byUserId, organisation, member }: MemberChange,
): Promise<{ removedId: string } | Refused> {
  return durable.transaction().execute(async (transaction) => {
    const own = await lockMembership(transaction, byUserId, organisation);
    if (!own) return "unknown-organisation";
    const memberId = await findUserId(transaction, member);
    if (memberId !== byUserId && own.role !== "owner") return "not-owner";
    const found = memberId === undefined ? undefined : await findMembership(transaction, memberId, organisation);
    if (memberId === undefined || !found) return "unknown-member";
    const isLast = await isLastOwner(transaction, own.organisationId, memberId);
    if (isLast) return "last-owner";
    await transaction
      .deleteFrom("memberships")
      .where("organisation_id", "=", own.organisationId)
      .where("user_id", "=", memberId)
      .execute();
    return { removedId: memberId };
  });
}

async function countMembers(transaction: Transaction<AccountTables>, organisationId: string): Promise<number> {
  const { count } = await transaction
    .selectFrom("memberships")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("organisation_id", "=", organisationId)
    .executeTakeFirstOrThrow();
  return count;
}
