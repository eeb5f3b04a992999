import { ALL_SCOPES, type Scope } from "@backplane/contract/accounts";
import type { Caller } from "@backplane/kit/callers";
import type { Database } from "@backplane/kit/database";
import { hashSecret } from "@backplane/kit/secrets";
import type { AccountTables } from "../tables.ts";
import { isApiKey, isSessionToken } from "./credentials.ts";

export type FoundCaller = { caller: Caller; expiresAtMs: number; lastUsedAtMs: number };

/** Whose credential this is, in one query; undefined when it is unknown or has expired. */
export async function findCaller(
  { durable }: Database<AccountTables>,
  credential: string,
  nowMs: number,
): Promise<FoundCaller | undefined> {
  if (isSessionToken(credential)) {
    const row = await durable
      .selectFrom("sessions")
      .innerJoin("users", "users.id", "sessions.user_id")
      .select([
        "sessions.id",
        "sessions.name",
        "kind",
        "expires_at_ms",
        "last_used_at_ms",
        "user_id",
        "users.name as user_name",
      ])
      .where("token_hash", "=", hashSecret(credential))
      .where("expires_at_ms", ">", nowMs)
      .executeTakeFirst();
    return (
      row && {
        caller: callerOf(row, row.kind, ALL_SCOPES),
        expiresAtMs: row.expires_at_ms,
        lastUsedAtMs: row.last_used_at_ms,
      }
    );
  }
  if (isApiKey(credential)) {
    const row = await durable
      .selectFrom("api_keys")
      .innerJoin("users", "users.id", "api_keys.user_id")
      .select(["api_keys.id", "api_keys.name", "scopes", "last_used_at_ms", "user_id", "users.name as user_name"])
      .where("key_hash", "=", hashSecret(credential))
      .executeTakeFirst();
    if (!row) return undefined;
    const caller = callerOf(row, "ApiKey", row.scopes.split(",") as Scope[]);
    return { caller, expiresAtMs: Number.POSITIVE_INFINITY, lastUsedAtMs: row.last_used_at_ms ?? 0 };
  }
  return undefined;
}

type CredentialRow = { id: string; name: string; user_id: string; user_name: string };

const callerOf = (row: CredentialRow, kind: Caller["kind"], scopes: readonly Scope[]): Caller => ({
  userId: row.user_id,
  userName: row.user_name,
  kind,
  credentialId: row.id,
  credentialName: row.name,
  scopes,
});
