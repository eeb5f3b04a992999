import { randomUUID } from "node:crypto";
import type { CreateOrganisation, Organisation, UserOrganisation } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";
import { claimName, foldName } from "../users/names.ts";
import { lockCallersUser } from "../users/users.ts";
import { readInvited } from "./invitations.ts";
import { deleteOrganisation, lockMembership, putMember, requireRoom } from "./membership.ts";

/** The creator becomes its first owner. */
export async function createOrganisation(
  { durable }: Database<AccountTables>,
  creator: { userId: string; userName: string },
  { name, display_name = "" }: CreateOrganisation,
  nowMs: number,
): Promise<Organisation> {
  const displayName = display_name.trim();
  const id = randomUUID();
  await durable.transaction().execute(async (transaction) => {
    await lockCallersUser(transaction, creator.userId);
    await requireRoom(transaction, creator.userId);
    await transaction
      .insertInto("organisations")
      .values({ id, name, display_name: displayName, created_at_ms: nowMs })
      .execute();
    await claimName(transaction, name, { organisationId: id });
    await putMember(transaction, { organisationId: id, userId: creator.userId, role: "owner" }, nowMs);
  });
  const members = [{ name: creator.userName, role: "owner" as const }];
  return { id, name, display_name: displayName || name, members, invited: [] };
}

/** Removes it with its name and memberships, and returns its id. "unknown-organisation" also when the person is not in it. */
export async function removeOrganisation(
  { durable }: Database<AccountTables>,
  userId: string,
  name: string,
  nowMs: number,
): Promise<{ removedId: string } | "unknown-organisation" | "not-owner"> {
  return durable.transaction().execute(async (transaction) => {
    const membership = await lockMembership(transaction, userId, name);
    if (!membership) return "unknown-organisation";
    if (membership.role !== "owner") return "not-owner";
    await deleteOrganisation(transaction, membership.organisationId, nowMs);
    return { removedId: membership.organisationId };
  });
}

/** The organisations a person is in (or only the one with this name) with their members, sorted by name. */
export async function readOrganisations(
  { durable }: Database<AccountTables>,
  userId: string,
  name?: string,
): Promise<Organisation[]> {
  const rows = await durable
    .selectFrom("memberships as own")
    .innerJoin("organisations", "organisations.id", "own.organisation_id")
    .innerJoin("memberships as each", "each.organisation_id", "organisations.id")
    .innerJoin("users", "users.id", "each.user_id")
    .select(["organisations.id", "organisations.name", "organisations.display_name"])
    .select(["users.name as member", "each.role"])
    .where("own.user_id", "=", userId)
    .$if(name !== undefined, (query) =>
      query.where((row) => row(row.fn<string>("lower", ["organisations.name"]), "=", foldName(name ?? ""))),
    )
    .execute();
  const organisations = new Map<string, Organisation>();
  for (const { id, name, display_name, member, role } of rows) {
    const organisation = organisations.get(id) ?? {
      ...{ id, name, display_name: display_name || name, members: [], invited: [] },
    };
    organisation.members.push({ name: member, role });
    organisations.set(id, organisation);
  }
  for (const { id, name, role } of await readInvited(durable, [...organisations.keys()])) {
    organisations.get(id)?.invited.push({ name, role });
  }
  // Not in the query: the engines sort letters differently.
  for (const { members, invited } of organisations.values()) {
    members.sort(byName);
    invited.sort(byName);
  }
  return [...organisations.values()].sort(byName);
}

/** The organisations a person is in, with their own role, sorted by name. */
export async function readMemberships(
  { durable }: Database<AccountTables>,
  userId: string,
): Promise<UserOrganisation[]> {
  const rows = await durable
    .selectFrom("memberships")
    .innerJoin("organisations", "organisations.id", "memberships.organisation_id")
    .select(["organisations.name", "organisations.display_name", "memberships.role"])
    .where("memberships.user_id", "=", userId)
    .execute();
  return rows.map(({ name, display_name, role }) => ({ name, display_name: display_name || name, role })).sort(byName);
}

function byName(one: { name: string }, other: { name: string }): number {
  const [a, b] = [foldName(one.name), foldName(other.name)];
  return a < b ? -1 : a > b ? 1 : 0;
}
