import type { App } from "@backplane/kit/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { ENDING } from "../callers/access.ts";
import type { Callers } from "../callers/callers.ts";
import { requireSession } from "../callers/require-session.ts";
import { endedSessionCookie } from "../callers/session-cookie-text.ts";
import type { SessionStore } from "../sessions/store.ts";

export type SignOutRoutes = {
  callers: Pick<Callers, "whoIsCalling" | "forget">;
  sessions: SessionStore;
  overHttps: boolean;
};

/** DELETE and POST /auth/logout: a form can only post. */
export function serveSignOut(app: App, { callers, sessions, overHttps }: SignOutRoutes): void {
  async function signOut(request: FastifyRequest, reply: FastifyReply) {
    const { userId, credentialId } = await requireSession(callers.whoIsCalling, request);
    await sessions.end(userId, credentialId);
    await callers.forget([credentialId]);
    return reply.header("set-cookie", endedSessionCookie({ overHttps })).code(204).send(null);
  }
  const schema = {
    tags: ["accounts"],
    summary: "Sign out: the session that asks ends",
    response: { 204: Type.Null() },
  };
  app.delete("/auth/logout", { ...ENDING, schema }, signOut);
  app.post("/auth/logout", { ...ENDING, schema }, signOut);
}
