import { ORGANISATION_LIMITS, type OrganisationInvitation, type Role } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import type { Kysely, Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { foldName } from "../users/names.ts";
import { lockCallersUser } from "../users/users.ts";
import { lockOrganisation, putMember, requireRoom } from "./membership.ts";

export type Invited = { organisationId: string; userId: string; role: Role; byUserId: string };

/** Asks somebody to join, or changes the role that they are asked to take. */
export async function putInvitation(
  transaction: Transaction<AccountTables>,
  { organisationId, userId, role, byUserId }: Invited,
  nowMs: number,
): Promise<void> {
  await transaction
    .insertInto("organisation_invitations")
    .values({ organisation_id: organisationId, user_id: userId, role, invited_by: byUserId, invited_at_ms: nowMs })
    .onConflict((conflict) => conflict.columns(["organisation_id", "user_id"]).doUpdateSet({ role }))
    .execute();
}

/** The person declines, or an owner withdraws it. False: there is none. */
export async function dropInvitation(
  transaction: Transaction<AccountTables>,
  userId: string,
  organisation: string,
): Promise<boolean> {
  return (await takeInvitation(transaction, userId, organisation)) !== undefined;
}

/** Of an acceptance, a refusal and a withdrawal at the same time, exactly one gets it. */
async function takeInvitation(
  transaction: Transaction<AccountTables>,
  userId: string,
  organisation: string,
): Promise<{ organisationId: string; role: Role } | undefined> {
  return transaction
    .deleteFrom("organisation_invitations")
    .where("user_id", "=", userId)
    .where("organisation_id", "in", idNamed(transaction, organisation))
    .returning(["organisation_id as organisationId", "role"])
    .executeTakeFirst();
}

const idNamed = (db: Kysely<AccountTables>, organisation: string) =>
  db
    .selectFrom("owner_names")
    .select("organisation_id as id")
    .where("name", "=", foldName(organisation))
    .where("organisation_id", "is not", null)
    .$castTo<{ id: string }>();

/** The only way into an organisation that somebody else created. 409 when the person is in too many: the invitation stays. */
export async function acceptInvitation(
  { durable }: Database<AccountTables>,
  userId: string,
  organisation: string,
  nowMs: number,
): Promise<"joined" | "not-invited"> {
  return durable.transaction().execute(async (transaction) => {
    await lockCallersUser(transaction, userId);
    const found = await idNamed(transaction, organisation).executeTakeFirst();
    if (!found || !(await lockOrganisation(transaction, found.id))) return "not-invited";
    const taken = await takeInvitation(transaction, userId, organisation);
    if (!taken) return "not-invited";
    await requireRoom(transaction, userId);
    await putMember(transaction, { ...taken, userId }, nowMs);
    return "joined";
  });
}

/** What this person is asked to join, newest first. */
export async function listInvitations(
  { durable }: Database<AccountTables>,
  userId: string,
): Promise<OrganisationInvitation[]> {
  const rows = await durable
    .selectFrom("organisation_invitations as invitation")
    .innerJoin("organisations", "organisations.id", "invitation.organisation_id")
    .leftJoin("users", "users.id", "invitation.invited_by")
    .select(["organisations.name", "organisations.display_name", "invitation.role", "invitation.invited_at_ms"])
    .select("users.name as invited_by")
    .where("invitation.user_id", "=", userId)
    .orderBy("invitation.invited_at_ms", "desc")
    .orderBy("organisations.name")
    .limit(ORGANISATION_LIMITS.maxListedInvitations)
    .execute();
  return rows.map(({ name, display_name, role, invited_by, invited_at_ms }) => ({
    ...{ name, display_name: display_name || name, role, invited_by },
    invited_at: new Date(invited_at_ms).toISOString(),
  }));
}

/** Who is asked to join these organisations. */
export async function readInvited(
  db: Kysely<AccountTables>,
  organisationIds: readonly string[],
): Promise<{ id: string; name: string; role: Role }[]> {
  if (organisationIds.length === 0) return [];
  return db
    .selectFrom("organisation_invitations")
    .innerJoin("users", "users.id", "organisation_invitations.user_id")
    .select(["organisation_invitations.organisation_id as id", "users.name", "organisation_invitations.role"])
    .where("organisation_invitations.organisation_id", "in", organisationIds)
    .execute();
}
