import { randomUUID } from "node:crypto";
import { type CreateOrganisation, ORGANISATION_LIMITS, type Organisation } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { claimName, foldName } from "../users/names.ts";
import { lockCallersUser } from "../users/users.ts";
import { deleteOrganisation, lockMembership, putMember } from "./membership.ts";

/** The creator becomes its first owner. */
export async function createOrganisation(
  { durable }: Database<AccountTables>,
  creator: { userId: string; userName: string },
  { name, display_name = "" }: CreateOrganisation,
  nowMs: number,
): Promise<Organisation> {
  const displayName = display_name.trim();
  await durable.transaction().execute(async (transaction) => {
    await lockCallersUser(transaction, creator.userId);
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
    await putMember(transaction, { organisationId: id, userId: creator.userId, role: "owner" }, nowMs);
  });
  return { name, display_name: displayName || name, members: [{ name: creator.userName, role: "owner" }] };
}

/** True until the transaction ends, when the caller holds `lockUser` of the person. */
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
    .select(["organisations.name", "organisations.display_name", "users.name as member", "each.role"])
    .where("own.user_id", "=", userId)
    .$if(name !== undefined, (query) =>
      query.where((row) => row(row.fn<string>("lower", ["organisations.name"]), "=", foldName(name ?? ""))),
    )
    .execute();
  const organisations = new Map<string, Organisation>();
  for (const row of rows) {
    const organisation = organisations.get(row.name) ?? {
      name: row.name,
      display_name: row.display_name || row.name,
      members: [],
    };
    organisation.members.push({ name: row.member, role: row.role });
    organisations.set(row.name, organisation);
  }
  // Not in the query: the engines sort letters differently.
  for (const { members } of organisations.values()) members.sort(byName);
  return [...organisations.values()].sort(byName);
}

function byName(one: { name: string }, other: { name: string }): number {
  const [a, b] = [foldName(one.name), foldName(other.name)];
  return a < b ? -1 : a > b ? 1 : 0;
}
