import { CreateAccount, User } from "@backplane/contract/accounts";
import { type App, callerKey, limitRate } from "@backplane/kit/http";
import type { RateLimiter } from "@backplane/kit/rate-limiter";
import { CHANGING } from "../callers/access.ts";
import type { StartBrowserSession } from "../sessions/start-browser-session.ts";
import type { DescribeUser } from "./profile.ts";
import { type Registration, register } from "./registration.ts";

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
        summary: "Make an account, by invitation or where registration is open, and sign in",
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
