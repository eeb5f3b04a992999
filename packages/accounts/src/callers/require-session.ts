import type { Caller, WhoIsCalling } from "@backplane/kit/callers";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";

/** A session of either kind, or 401, or 403 for an API key: a key that leaks must not govern what else has access. */
export async function requireSession(whoIsCalling: WhoIsCalling, request: FastifyRequest): Promise<Caller> {
  const caller = await whoIsCalling(request);
  if (!caller) throw new Problem("not-signed-in", { headers: { "www-authenticate": "Bearer" } });
  if (caller.kind === "ApiKey") throw new Problem("session-needed", { detail: "Sign in, or use a session token." });
  return caller;
}
