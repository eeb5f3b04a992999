import { ALL_SCOPES, ORGANISATION_LIMITS, type Scope, type User } from "@backplane/contract/accounts";
import type { Caller } from "@backplane/kit/callers";
import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import type { AccountTables } from "../tables.ts";

/** What GET /user answers to this caller. */
export type DescribeUser = (caller: Pick<Caller, "userId" | "credentialId" | "kind">) => Promise<User>;

/** The person, their organisations, and the session or key that the request uses. */
export function describeUsers({ durable }: Database<AccountTables>): DescribeUser {
  return async ({ userId, credentialId, kind }) => {
    const [user, organisations, invitations, session] = await Promise.all([
      durable.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirst(),
      durable
        .selectFrom("memberships")
        .innerJoin("organisations", "organisations.id", "memberships.organisation_id")
        .select(["organisations.name", "memberships.role"])
        .where("memberships.user_id", "=", userId)
        .orderBy("organisations.name")
        .execute(),
      durable
        .selectFrom("organisation_invitations")
        .innerJoin("organisations", "organisations.id", "organisation_invitations.organisation_id")
        .select(["organisations.name", "organisation_invitations.role"])
        .where("organisation_invitations.user_id", "=", userId)
        .orderBy("organisation_invitations.invited_at_ms", "desc")
        .limit(ORGANISATION_LIMITS.maxListedInvitations)
        .execute(),
      kind === "ApiKey" ? readKey(credentialId) : readSession(credentialId),
    ]);
    // It may have ended after the caller was identified.
    if (!user || !session) throw new Problem("not-signed-in", { headers: { "www-authenticate": "Bearer" } });
    return {
      id: user.id,
      name: user.name,
      display_name: user.display_name || user.name,
      email: user.email,
      is_owner: user.is_owner === 1,
      organisations,
      invitations,
      session,
    };
  };

  async function readSession(id: string): Promise<User["session"] | undefined> {
    const row = await durable.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
    return (
      row && {
        id,
        kind: row.kind,
        name: row.name,
        created_at: isoTime(row.created_at_ms),
        expires_at: isoTime(row.expires_at_ms),
        scopes: [...ALL_SCOPES],
      }
    );
  }

  async function readKey(id: string): Promise<User["session"] | undefined> {
    const row = await durable.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
    return (
      row && {
        id,
        kind: "ApiKey",
        name: row.name,
        created_at: isoTime(row.created_at_ms),
        expires_at: null,
        scopes: row.scopes.split(",") as Scope[],
      }
    );
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
