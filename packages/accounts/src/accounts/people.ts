import type { Account } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import { handOverOrganisations } from "../organisations/hand-over.ts";
import type { AccountTables } from "../tables.ts";
import { lockUser } from "../users/users.ts";

/** Oldest first. The instance's owner made or invited them all; where registration is open, the newest beyond this are not listed. */
const MAX_LISTED_PEOPLE = 10_000;

export async function listPeople({ durable }: Database<AccountTables>): Promise<Account[]> {
  const rows = await durable
    .selectFrom("users")
    .select(["name", "display_name", "email", "is_owner", "created_at_ms"])
    .orderBy("created_at_ms")
    .orderBy("name")
    .limit(MAX_LISTED_PEOPLE)
    .execute();
  return rows.map(({ name, display_name, email, is_owner, created_at_ms }) => ({
    name,
    display_name: display_name || name,
    email,
    is_owner: is_owner === 1,
    created_at: new Date(created_at_ms).toISOString(),
  }));
}

/** The sessions and keys that ended by it; or why nobody was removed. */
export type PersonRemoved = { endedCredentials: string[] } | "unknown" | "oneself";

/** Removes an account with all that is its own. Organisations it alone owned go to who removes it: nothing is left ownerless. */
export async function removePerson(
  { durable }: Database<AccountTables>,
  { name, removedBy, nowMs }: { name: string; removedBy: string; nowMs: number },
): Promise<PersonRemoved> {
  return durable.transaction().execute(async (transaction) => {
    const person = await transaction
      .selectFrom("owner_names")
      .select("user_id as id")
      .where("name", "=", name.toLowerCase())
      .executeTakeFirst();
    const id = person?.id;
    if (!id) return "unknown";
    if (id === removedBy) return "oneself";
    // From here on nobody gives the account a session, a key or an organisation.
    const isThere = await lockUser(transaction, id);
    if (!isThere) return "unknown";
    await handOverOrganisations(transaction, { from: id, to: removedBy, nowMs });
    const sessions = await transaction.selectFrom("sessions").select("id").where("user_id", "=", id).execute();
    const keys = await transaction.selectFrom("api_keys").select("id").where("user_id", "=", id).execute();
    await transaction.deleteFrom("users").where("id", "=", id).execute();
    return { endedCredentials: [...sessions, ...keys].map((credential) => credential.id) };
  });
}
