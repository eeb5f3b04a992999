import { ACCOUNT_LIMITS, type OpenReset } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import type { AccountTables } from "../tables.ts";
import { findUserId, lockUser } from "../users/users.ts";

export type NewResetLink = { url: string; expiresAtMs: number };

type ResetLinkOptions = {
  /** The person who forgot the password. */
  name: string;
  /** The id of the person who makes the link; null: a command on the machine. */
  madeBy: string | null;
  /** Where people reach the pages, without a trailing slash. */
  authUrl: string;
  nowMs: number;
};

/**
 * Makes a link with which a person chooses a new password. A link made earlier for the same person stops working. The
 * table holds only a hash. "oneself": a stolen browser session could otherwise replace the password without knowing it.
 */
export async function makeResetLink(
  { durable }: Database<AccountTables>,
  { name, madeBy, authUrl, nowMs }: ResetLinkOptions,
): Promise<NewResetLink | "unknown" | "oneself"> {
  const token = newSecret("rst_");
  const expiresAtMs = nowMs + ACCOUNT_LIMITS.resetLinkLifeMs;
  return durable.transaction().execute(async (transaction) => {
    const id = await findUserId(transaction, name);
    if (id === undefined || !(await lockUser(transaction, id))) return "unknown";
    if (id === madeBy) return "oneself";
    await transaction.deleteFrom("password_resets").where("user_id", "=", id).execute();
    await transaction
      .insertInto("password_resets")
      .values({
        user_id: id,
        token_hash: hashSecret(token),
        created_by: madeBy,
        created_at_ms: nowMs,
        expires_at_ms: expiresAtMs,
      })
      .execute();
    // After the # it stays in the browser: no server or log on the way sees it.
    return { url: `${authUrl}/auth/reset#${token}`, expiresAtMs };
  });
}

/** Whose link this is; undefined for one that is unknown, used, replaced or expired. */
export async function findReset(
  { durable }: Database<AccountTables>,
  token: string,
  nowMs: number,
): Promise<{ userId: string; shown: OpenReset } | undefined> {
  const row = await durable
    .selectFrom("password_resets as reset")
    .innerJoin("users as person", "person.id", "reset.user_id")
    .leftJoin("users as maker", "maker.id", "reset.created_by")
    .select(["person.id", "person.name", "maker.name as made_by", "reset.created_at_ms", "reset.expires_at_ms"])
    .select(({ selectFrom, fn }) => [
      selectFrom("sessions")
        .select(fn.countAll<number>().as("count"))
        .whereRef("sessions.user_id", "=", "person.id")
        .where("sessions.expires_at_ms", ">", nowMs)
        .as("sessions"),
      selectFrom("api_keys")
        .select(fn.countAll<number>().as("count"))
        .whereRef("api_keys.user_id", "=", "person.id")
        .as("api_keys"),
    ])
    .where("token_hash", "=", hashSecret(token))
    .where("reset.expires_at_ms", ">", nowMs)
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    userId: row.id,
    shown: {
      name: row.name,
      made_by: row.made_by,
      created_at: new Date(row.created_at_ms).toISOString(),
      expires_at: new Date(row.expires_at_ms).toISOString(),
      sessions: row.sessions ?? 0,
      api_keys: row.api_keys ?? 0,
    },
  };
}

export type UsedReset = { endedSessions: string[]; endedApiKeys: string[] };

/**
 * Sets the password and ends every session and API key of the account in one transaction: whoever had access before has
 * none. Of several concurrent uses of a link exactly one succeeds; the others throw 410 and change nothing.
 */
export async function useReset(
  { durable }: Database<AccountTables>,
  { userId, token, passwordHash, nowMs }: { userId: string; token: string; passwordHash: string; nowMs: number },
): Promise<UsedReset> {
  return durable.transaction().execute(async (transaction) => {
    // First, since it also locks the account: no session or key is added before the transaction ends.
    await transaction.updateTable("users").set({ password_hash: passwordHash }).where("id", "=", userId).execute();
    const { numDeletedRows } = await transaction
      .deleteFrom("password_resets")
      .where("token_hash", "=", hashSecret(token))
      .where("expires_at_ms", ">", nowMs)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw resetLinkEnded();
    const endAll = async (table: "sessions" | "api_keys") => {
      const rows = await transaction.deleteFrom(table).where("user_id", "=", userId).returning("id").execute();
      return rows.map(({ id }) => id);
    };
    return { endedSessions: await endAll("sessions"), endedApiKeys: await endAll("api_keys") };
  });
}

export const resetLinkEnded = () =>
  new Problem("reset-link-ended", {
    detail: "It was used or replaced, or has expired. Ask the owner of this Backplane for another one.",
    errors: [{ pointer: "/token", message: "no longer works" }],
  });
