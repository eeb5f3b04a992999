import { Account, NAME_PATTERN } from "@backplane/contract/accounts";
import type { OwnersRemoved, WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { CHANGING, READING, requireInstanceOwner } from "../callers/access.ts";
import type { Callers } from "../callers/callers.ts";
import { handOverOrganisations } from "../organisations/membership.ts";
import { noteRemoved } from "../organisations/owners.ts";
import type { AccountTables } from "../tables.ts";
import { findUserId, lockUser } from "../users/users.ts";

/** Where registration is open there may be more accounts than this; the newest are then not listed. */
const MAX_LISTED_PEOPLE = 10_000;

/** Oldest first. */
async function listPeople({ durable }: Database<AccountTables>): Promise<Account[]> {
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

/** The sessions and keys that were ended, and the person with the organisations that went too; or why nobody was removed. */
type PersonRemoved = { endedCredentials: string[]; removedOwners: string[] } | "unknown" | "oneself";

/**
 * Removes an account with everything that belongs to it, and organisations that only it was in. Others that it alone owned
 * go to the person who removes it.
 */
async function removePerson(
  { durable }: Database<AccountTables>,
  { name, removedBy, nowMs }: { name: string; removedBy: string; nowMs: number },
): Promise<PersonRemoved> {
  return durable.transaction().execute(async (transaction) => {
    const id = await findUserId(transaction, name);
    if (id === undefined) return "unknown";
    if (id === removedBy) return "oneself";
    // From here on the account gets no new session, key or organisation.
    const exists = await lockUser(transaction, id);
    if (!exists) return "unknown";
    const organisations = await handOverOrganisations(transaction, { from: id, to: removedBy, nowMs });
    const sessions = await transaction.selectFrom("sessions").select("id").where("user_id", "=", id).execute();
    const keys = await transaction.selectFrom("api_keys").select("id").where("user_id", "=", id).execute();
    await transaction.deleteFrom("users").where("id", "=", id).execute();
    await noteRemoved(transaction, id, nowMs);
    return {
      endedCredentials: [...sessions, ...keys].map((credential) => credential.id),
      removedOwners: [id, ...organisations],
    };
  });
}

export type PeopleRoutes = {
  database: Database<AccountTables>;
  whoIsCalling: WhoIsCalling;
  forget: Callers["forget"];
  ownersRemoved: OwnersRemoved;
  now: Clock;
};

const tags = ["accounts"];

export function servePeople(app: App, { forget, ownersRemoved, now, ...access }: PeopleRoutes): void {
  app.get(
    "/auth/users",
    {
      ...READING,
      schema: {
        tags,
        summary: "List all accounts",
        access: "instance-owner",
        response: { 200: Type.Object({ users: Type.Array(Account) }) },
      },
    },
    async (request) => {
      await requireInstanceOwner(access, request);
      return { users: await listPeople(access.database) };
    },
  );

  app.delete(
    "/auth/users/:name",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Remove an account with its sessions, keys and passkeys",
        access: "instance-owner",
        problems: ["not-found", "owner-account"],
        description:
          "Its workspaces are deleted with their files, and so are organisations that nobody else is in. Its packages, and other organisations that it alone owned, become yours.",
        params: Type.Object({ name: Type.String({ pattern: NAME_PATTERN }) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = await requireInstanceOwner(access, request);
      const { name } = request.params;
      const outcome = await removePerson(access.database, { name, removedBy: userId, nowMs: now() });
      if (outcome === "unknown") throw new Problem("not-found", { detail: "There is no account with this name." });
      if (outcome === "oneself") {
        throw new Problem("owner-account", { detail: "This account owns the instance and cannot be removed." });
      }
      await forget([...outcome.endedCredentials, ...outcome.removedOwners]);
      await ownersRemoved(outcome.removedOwners);
      return reply.code(204).send(null);
    },
  );
}
