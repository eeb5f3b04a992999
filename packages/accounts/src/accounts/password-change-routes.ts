import { ChangePassword } from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import { type App, limitRate } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { RateLimiter } from "@backplane/kit/rate-limiter";
import { Type } from "typebox";
import { CHANGING, requireBrowser } from "../callers/access.ts";
import type { Callers } from "../callers/callers.ts";
import { changePassword, type PasswordChange } from "./password-change.ts";

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
        summary: "Change your password; every other session of the account ends",
        body: ChangePassword,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId, credentialId } = await requireBrowser(whoIsCalling, request);
      // Counted before it is known to be wrong: however many come at once, no more than the limit are tried.
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
    errors: [{ pointer: "/current_password", message: "is not right" }],
  });
