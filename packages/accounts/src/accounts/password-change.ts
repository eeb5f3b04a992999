import type { ChangePassword } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";

export type PasswordChange = {
  database: Database<AccountTables>;
  hashPassword(password: string): Promise<string>;
  verifyPassword(password: string, hash: string): Promise<boolean>;
};

/** The sessions that ended by it; or why nothing was changed. */
export type PasswordChanged = { endedSessions: string[] } | "current-missing" | "current-wrong";

/** Sets the password and ends every session of the account but the one that asks, together or not at all. */
export async function changePassword(
  { database, hashPassword, verifyPassword }: PasswordChange,
  { userId, sessionId }: { userId: string; sessionId: string },
  { current_password, new_password }: ChangePassword,
): Promise<PasswordChanged> {
  const user = await database.durable
    .selectFrom("users")
    .select("password_hash")
    .where("id", "=", userId)
    .executeTakeFirst();
  if (!user) return "current-wrong";
  const before = user.password_hash;
  if (before !== "") {
    if (current_password === undefined) return "current-missing";
    const isRight = await verifyPassword(current_password, before);
    if (!isRight) return "current-wrong";
  }
  const after = await hashPassword(new_password);
  return database.durable.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable("users")
      .set({ password_hash: after })
      .where("id", "=", userId)
      // Another change may have been faster: then what was checked is not the current password any more.
      .where("password_hash", "=", before)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return "current-wrong";
    const ended = await transaction
      .deleteFrom("sessions")
      .where("user_id", "=", userId)
      .where("id", "!=", sessionId)
      .returning("id")
      .execute();
    return { endedSessions: ended.map(({ id }) => id) };
  });
}
