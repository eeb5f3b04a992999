import type { Organisation } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";

/** The organisations a person is in, or the one of them with this name; with their members, all by name. */
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
      query.where((row) => row(row.fn<string>("lower", ["organisations.name"]), "=", (name ?? "").toLowerCase())),
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
  // Here rather than in the query: the engines order letters differently.
  for (const { members } of organisations.values()) members.sort(byName);
  return [...organisations.values()].sort(byName);
}

function byName(one: { name: string }, other: { name: string }): number {
  const [a, b] = [one.name.toLowerCase(), other.name.toLowerCase()];
  return a < b ? -1 : a > b ? 1 : 0;
}
