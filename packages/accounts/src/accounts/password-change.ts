import { ChangePassword } from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Database } from "@backplane/kit/database";
import { type App, limitRate } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { RateLimiter } from "@backplane/kit/rate-limiter";
import { Type } from "typebox";
import { CHANGING, requireBrowser } from "../callers/access.ts";
import type { Callers } from "../callers/callers.ts";
import { deleteOtherSessions } from "../sessions/store.ts";
import type { AccountTables } from "../tables.ts";
import type { Passwords } from "../users/passwords.ts";

type PasswordChange = Passwords & { database: Database<AccountTables> };

/** The sessions that were ended, or why nothing was changed. */
type PasswordChanged = { endedSessions: string[] } | "current-missing" | "current-wrong";

/** Sets the password and ends all other sessions of the account, and an open link for a new password, in one transaction. */
async function changePassword(
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
      // Another change may have been faster: then the password that was checked is no longer the current one.
      .where("password_hash", "=", before)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return "current-wrong";
    await transaction.deleteFrom("password_resets").where("user_id", "=", userId).execute();
    return { endedSessions: await deleteOtherSessions(transaction, userId, sessionId) };
  });
}

export type PasswordChangeRoutes = PasswordChange & {
  whoIsCalling: WhoIsCalling;
  forget: Callers["forget"];
  limiter: RateLimiter;
};

export function servePasswordChange(app: App, options: PasswordChangeRoutes): void {
  const { whoIsCalling, forget, limiter, ...rule } = options;
  app.put(
    "/auth/password",
    {
      ...CHANGING,
      schema: {
        tags: ["accounts"],
        summary: "Change your password; all your other sessions end",
        access: "browser",
        problems: ["wrong-password", "too-many-requests"],
        body: ChangePassword,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId, credentialId } = await requireBrowser(whoIsCalling, request);
      // Counted before it is known to be wrong, so that concurrent guesses cannot exceed the limit.
      await limitRate(limiter, () => userId)(request);
      const outcome = await changePassword(rule, { userId, sessionId: credentialId }, request.body).catch(
        async (fault: unknown) => {
          await limiter.giveBack(userId);
          throw fault;
        },
      );
      if (outcome !== "current-wrong") await limiter.giveBack(userId);
      if (outcome === "current-missing") throw currentMissing();
      if (outcome === "current-wrong") throw currentWrong();
      await forget(outcome.endedSessions);
      return reply.code(204).send(null);
    },
  );
}

const currentMissing = () =>
  new Problem("invalid-input", {
    detail: "/current_password is missing.",
    errors: [{ pointer: "/current_password", message: "is missing" }],
  });

const currentWrong = () =>
  new Problem("wrong-password", {
    detail: "Check the current password and try again.",
    errors: [{ pointer: "/current_password", message: "is wrong" }],
  });
