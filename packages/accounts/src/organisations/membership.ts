import type { Role } from "@backplane/contract/accounts";
import type { Kysely, Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { lockOrganisation } from "./lock.ts";

export type Membership = { organisationId: string; role: Role };

/** A person's part in an organisation; undefined when there is no such organisation, or the person is not in it. */
export async function findMembership(
  db: Kysely<AccountTables>,
  userId: string,
  name: string,
): Promise<Membership | undefined> {
  return db
    .selectFrom("owner_names")
    .innerJoin("memberships", "memberships.organisation_id", "owner_names.organisation_id")
    .select(["memberships.organisation_id as organisationId", "role"])
    .where("owner_names.name", "=", name.toLowerCase())
    .where("memberships.user_id", "=", userId)
    .executeTakeFirst();
}

/** The same, read after the lock: until the transaction's end it stays so. */
export async function lockMembership(
  transaction: Transaction<AccountTables>,
  userId: string,
  name: string,
): Promise<Membership | undefined> {
  const found = await findMembership(transaction, userId, name);
  const isThere = found !== undefined && (await lockOrganisation(transaction, found.organisationId));
  return isThere ? findMembership(transaction, userId, name) : undefined;
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
