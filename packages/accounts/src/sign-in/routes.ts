import { Login, User } from "@backplane/contract/accounts";
import type { Bus } from "@backplane/kit/bus";
import { requireCaller } from "@backplane/kit/callers";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { CHANGING, ENDING, READING, requireSession } from "../callers/access.ts";
import type { Callers } from "../callers/callers.ts";
import { endedSessionCookie } from "../callers/credentials.ts";
import type { StartBrowserSession } from "../sessions/browser-sessions.ts";
import type { SessionStore } from "../sessions/store.ts";
import type { AccountTables } from "../tables.ts";
import type { DescribeUser } from "../users/describe-user.ts";
import type { Passwords } from "../users/passwords.ts";
import { createAttemptLimits, createFamiliarAddresses } from "./attempt-limits.ts";
import { createSignIn } from "./sign-in.ts";

export type SignInRoutes = {
  database: Database<AccountTables>;
  bus: Pick<Bus, "claims">;
  callers: Pick<Callers, "whoIsCalling" | "forget">;
  sessions: SessionStore;
  passwords: Passwords;
  newLimiter: (limit: RateLimit) => RateLimiter;
  startBrowserSession: StartBrowserSession;
  describeUser: DescribeUser;
  /** Whether people reach this server over https. */
  overHttps: boolean;
  onFault: (error: unknown) => void;
};

/** Signing in with a password, signing out, and who the caller is. */
export function serveSignIn(app: App, options: SignInRoutes): void {
  const { database, bus, callers, sessions, passwords, newLimiter, startBrowserSession, describeUser, onFault } =
    options;
  const familiar = createFamiliarAddresses(bus, onFault);
  const attemptLimits = createAttemptLimits(newLimiter);
  const signIn = createSignIn({ database, passwords, attemptLimits, familiar });

  app.post(
    "/auth/login",
    {
      ...CHANGING,
      schema: {
        tags: ["accounts"],
        summary: "Sign a browser in with name or email address, and password",
        problems: ["foreign-page", "sign-in-failed", "not-signed-in", "too-many-requests"],
        body: Login,
        response: { 200: User },
      },
    },
    async (request, reply) => {
      const { name, email, password } = request.body;
      const nameOrEmail = (name ?? email)?.trim();
      if (!nameOrEmail) throw nameMissing();
      const signedIn = await signIn({ nameOrEmail, password, address: request.ip });
      if (signedIn.outcome === "slowed") throw slowed(signedIn.retryAfterMs);
      if (signedIn.outcome === "failed") throw failed();
      const { userId, isStillRight } = signedIn;
      const { id } = await startBrowserSession(request, reply, userId);
      // A password change ends all sessions. If it happened just now, it missed this one, which used the old password.
      if (!(await isStillRight())) {
        reply.removeHeader("set-cookie");
        await sessions.end(userId, id);
        throw failed();
      }
      return describeUser({ userId, credentialId: id, kind: "Browser" });
    },
  );

  app.get(
    "/user",
    {
      ...READING,
      schema: {
        tags: ["accounts"],
        summary: "Who the caller is, and with which session or API key",
        access: "read",
        response: { 200: User },
      },
    },
    async (request) => describeUser(await requireCaller(callers.whoIsCalling, request, "read")),
  );

  serveSignOut(app, { callers, sessions, overHttps: options.overHttps });
}

const nameMissing = () =>
  new Problem("invalid-input", {
    detail: "/name is missing.",
    errors: [{ pointer: "/name", message: "is missing" }],
  });

const failed = () => new Problem("sign-in-failed", { detail: "Check both and try again." });

function slowed(retryAfterMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return new Problem("too-many-requests", {
    detail: `Too many failed attempts to sign in. Try again in ${waitText(seconds)}.`,
    headers: { "retry-after": String(seconds) },
  });
}

const waitText = (seconds: number): string => (seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`);

type SignOutRoutes = {
  callers: Pick<Callers, "whoIsCalling" | "forget">;
  sessions: SessionStore;
  overHttps: boolean;
};

/** DELETE and POST /auth/logout: forms can only post. */
function serveSignOut(app: App, { callers, sessions, overHttps }: SignOutRoutes): void {
  async function signOut(request: FastifyRequest, reply: FastifyReply) {
    const { userId, credentialId } = await requireSession(callers.whoIsCalling, request);
    await sessions.end(userId, credentialId);
    await callers.forget([credentialId]);
    return reply.header("set-cookie", endedSessionCookie(overHttps)).code(204).send(null);
  }
  const schema = {
    tags: ["accounts"],
    summary: "Sign out: end the session of this request",
    access: "session" as const,
    response: { 204: Type.Null() },
  };
  app.delete("/auth/logout", { ...ENDING, schema }, signOut);
  app.post("/auth/logout", { ...ENDING, schema }, signOut);
}
