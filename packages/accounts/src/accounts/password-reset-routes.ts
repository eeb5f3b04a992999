import {
  CheckReset,
  NAME_PATTERN,
  OpenReset,
  PasswordReset,
  ResetLink,
  ResetPassword,
} from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type App, callerKey, limitRate } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { RateLimiter } from "@backplane/kit/rate-limiter";
import { Type } from "typebox";
import { CHANGING, READING, requireInstanceOwner } from "../callers/access.ts";
import type { Callers } from "../callers/callers.ts";
import type { StartBrowserSession } from "../sessions/browser-sessions.ts";
import type { AccountTables } from "../tables.ts";
import type { Passwords } from "../users/passwords.ts";
import { findReset, makeResetLink, resetLinkEnded, useReset } from "./password-resets.ts";

export type PasswordResetRoutes = {
  database: Database<AccountTables>;
  whoIsCalling: WhoIsCalling;
  forget: Callers["forget"];
  startBrowserSession: StartBrowserSession;
  hashPassword: Passwords["hashPassword"];
  /** Where people reach the pages, without a trailing slash. */
  authUrl: string;
  /** How people call `backplane`. */
  command: string;
  limiter: RateLimiter;
  now: Clock;
};

const tags = ["accounts"];

/** The owner makes a link; whoever opens it chooses a new password for that account, once. */
export function servePasswordResets(app: App, options: PasswordResetRoutes): void {
  const { database, whoIsCalling, forget, startBrowserSession, hashPassword, authUrl, command, limiter, now } = options;
  const limited = limitRate(limiter, ({ ip }) => callerKey(ip));

  app.post(
    "/auth/users/:name/reset-link",
    {
      ...CHANGING,
      schema: {
        tags,
        summary: "Make a link with which a person chooses a new password",
        access: "instance-owner",
        problems: ["not-found", "own-account"],
        params: Type.Object({ name: Type.String({ pattern: NAME_PATTERN }) }),
        response: { 201: ResetLink },
      },
    },
    async (request, reply) => {
      const { userId } = await requireInstanceOwner({ whoIsCalling, database }, request);
      const { name } = request.params;
      const made = await makeResetLink(database, { name, madeBy: userId, authUrl, nowMs: now() });
      if (made === "unknown") throw new Problem("not-found", { detail: "There is no account with this name." });
      if (made === "oneself") throw ownAccount(name, command);
      reply.code(201);
      return { url: made.url, expires_at: new Date(made.expiresAtMs).toISOString() };
    },
  );

  app.post(
    "/auth/password/reset/check",
    {
      ...READING,
      bodyLimit: CHANGING.bodyLimit,
      onRequest: [...READING.onRequest, limited],
      schema: {
        tags,
        summary: "Check whether a link for a new password works, and for whom",
        problems: ["reset-link-ended", "too-many-requests"],
        body: CheckReset,
        response: { 200: OpenReset },
      },
    },
    async (request) => {
      const found = await findReset(database, request.body.token, now());
      if (!found) throw resetLinkEnded();
      return found.shown;
    },
  );

  app.post(
    "/auth/password/reset",
    {
      ...CHANGING,
      onRequest: [...CHANGING.onRequest, limited],
      schema: {
        tags,
        summary: "Set a new password with a link, end all sessions and API keys of the account, and sign in",
        problems: ["foreign-page", "reset-link-ended", "not-signed-in", "too-many-requests"],
        body: ResetPassword,
        response: { 200: PasswordReset },
      },
    },
    async (request, reply) => {
      const { token, new_password } = request.body;
      // Before hashing, which is expensive: only somebody with a link can cause that work.
      const found = await findReset(database, token, now());
      if (!found) throw resetLinkEnded();
      const { userId, shown } = found;
      const passwordHash = await hashPassword(new_password);
      const { endedSessions, endedApiKeys } = await useReset(database, { userId, token, passwordHash, nowMs: now() });
      await forget([...endedSessions, ...endedApiKeys]);
      await startBrowserSession(request, reply, userId);
      return { name: shown.name, ended_sessions: endedSessions.length, ended_api_keys: endedApiKeys.length };
    },
  );
}

const ownAccount = (name: string, command: string) =>
  new Problem("own-account", {
    detail: `Change your password on the account page, or run this on the machine: ${command} reset-password ${name}`,
  });
