import { ORGANISATION_LIMITS, type Role } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { findUserId, lockUser } from "../users/users.ts";
import { dropInvitation, putInvitation } from "./invitations.ts";
import { findMembership, isLastOwner, lockMembership, putMember } from "./membership.ts";

export type MemberChange = {
  /** The caller. */
  byUserId: string;
  organisation: string;
  /** The name of the person who is invited, changed or removed. */
  member: string;
};

/** "unknown-organisation" also when the caller is not in it. */
type Refused = "unknown-organisation" | "not-owner" | "unknown-member" | "last-owner";

export type MemberSet = "set" | Refused | "organisation-full";

/** Gives a member another role; asks anybody else to join, who becomes a member by accepting. */
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
      const others = await countOthers(transaction, organisationId, memberId);
      if (others >= ORGANISATION_LIMITS.maxMembers) return "organisation-full";
      await putInvitation(transaction, { organisationId, userId: memberId, role, byUserId }, nowMs);
      return "set";
    }
    if (role !== "owner" && (await isLastOwner(transaction, organisationId, memberId))) return "last-owner";
    await putMember(transaction, { organisationId, userId: memberId, role }, nowMs);
    return "set";
  });
}

/**
 * An owner removes a member or an invitation; a member leaves; somebody who is invited declines. When all owners leave at the
 * same time, one of them is refused.
 */
export async function removeMember(
  { durable }: Database<AccountTables>,
  { byUserId, organisation, member }: MemberChange,
): Promise<{ removedId: string } | Refused> {
  return durable.transaction().execute(async (transaction) => {
    const memberId = await findUserId(transaction, member);
    const own = await lockMembership(transaction, byUserId, organisation);
    if (!own) {
      const isDeclined = memberId === byUserId && (await dropInvitation(transaction, byUserId, organisation));
      return isDeclined ? { removedId: byUserId } : "unknown-organisation";
    }
    if (memberId !== byUserId && own.role !== "owner") return "not-owner";
    const found = memberId === undefined ? undefined : await findMembership(transaction, memberId, organisation);
    if (memberId === undefined) return "unknown-member";
    if (!found) {
      const isWithdrawn = await dropInvitation(transaction, memberId, organisation);
      return isWithdrawn ? { removedId: memberId } : "unknown-member";
    }
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

/** Members and people who are invited, without this one. */
async function countOthers(
  transaction: Transaction<AccountTables>,
  organisationId: string,
  userId: string,
): Promise<number> {
  const members = transaction.selectFrom("memberships").select(["organisation_id", "user_id"]);
  const invited = transaction.selectFrom("organisation_invitations").select(["organisation_id", "user_id"]);
  const { count } = await transaction
    .selectFrom(members.unionAll(invited).as("people"))
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("organisation_id", "=", organisationId)
    .where("user_id", "!=", userId)
    .executeTakeFirstOrThrow();
  return count;
}
