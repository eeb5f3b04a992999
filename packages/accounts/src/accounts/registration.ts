import { CreateAccount, User } from "@backplane/contract/accounts";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type App, callerKey, limitRate } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { RateLimiter } from "@backplane/kit/rate-limiter";
import { CHANGING } from "../callers/access.ts";
import type { StartBrowserSession } from "../sessions/browser-sessions.ts";
import type { AccountTables } from "../tables.ts";
import type { DescribeUser } from "../users/describe-user.ts";
import { insertUser } from "../users/users.ts";
import { type Invitations, useInvitation } from "./invitations.ts";

type Registration = {
  database: Database<AccountTables>;
  invitations: Pick<Invitations, "check">;
  openRegistration: boolean;
  hashPassword(password: string): Promise<string>;
  now: Clock;
};

/** Creates the account and uses up the invitation in one transaction; returns the account's id. */
async function register(
  { database, invitations, openRegistration, hashPassword, now }: Registration,
  { invitation, name, email, display_name, password }: CreateAccount,
): Promise<string> {
  const found = invitation === undefined ? "unknown" : await invitations.check(invitation);
  // Before hashing, which is expensive: only people who may register can cause that work.
  if (found === "ended") throw invitationEnded();
  if (found === "unknown" && !openRegistration) {
    throw new Problem("registration-closed", { detail: "Ask the owner of this instance for an invitation." });
  }
  const passwordHash = await hashPassword(password);
  return database.durable.transaction().execute(async (transaction) => {
    const nowMs = now();
    if (invitation !== undefined && found !== "unknown") {
      const used = await useInvitation(transaction, invitation, name, nowMs);
      if (!used) throw invitationEnded();
    }
    return insertUser(transaction, { name, displayName: display_name?.trim() ?? "", email, passwordHash }, nowMs);
  });
}

const invitationEnded = () =>
  new Problem("invitation-ended", {
    detail: "Ask for a new one.",
    errors: [{ pointer: "/invitation", message: "was used or has expired" }],
  });

export type RegistrationRoutes = Registration & {
  startBrowserSession: StartBrowserSession;
  describeUser: DescribeUser;
  limiter: RateLimiter;
};

export function serveRegistration(app: App, options: RegistrationRoutes): void {
  const { startBrowserSession, describeUser, limiter, ...registration } = options;
  app.post(
    "/auth/accounts",
    {
      ...CHANGING,
      onRequest: [...CHANGING.onRequest, limitRate(limiter, ({ ip }) => callerKey(ip))],
      schema: {
        tags: ["accounts"],
        summary: "Create an account and sign in; needs an invitation unless registration is open",
        problems: [
          ...(["foreign-page", "registration-closed", "invitation-ended", "not-signed-in"] as const),
          ...(["name-taken", "email-taken", "too-many-requests"] as const),
        ],
        body: CreateAccount,
        response: { 201: User },
      },
    },
    async (request, reply) => {
      const userId = await register(registration, request.body);
      const { id } = await startBrowserSession(request, reply, userId);
      reply.code(201);
      return describeUser({ userId, credentialId: id, kind: "Browser" });
    },
  );
}
