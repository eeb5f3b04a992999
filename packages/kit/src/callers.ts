import type { FastifyRequest } from "fastify";
import { Problem } from "./problems.ts";

/** What an API key may be limited to. Sessions have all of them. */
export type Scope = "panels" | "publish" | "read";

/** Who speaks, and by what: a browser's session, a program's, or an API key. */
export type Caller = {
  readonly userId: string;
  readonly userName: string;
  readonly kind: "Browser" | "Application" | "ApiKey";
  /** Of the session or the key. */
  readonly credentialId: string;
  /** What people call it: the program's, the browser's or the key's name. */
  readonly credentialName: string;
  readonly scopes: readonly Scope[];
};

/** The caller of a request; undefined when it carries no credential, or one that is not valid (any more). */
export type WhoIsCalling = (request: FastifyRequest) => Promise<Caller | undefined>;

/** The caller, or 401; or 403 when it is a key without that scope. */
export async function requireCaller(
  whoIsCalling: WhoIsCalling,
  request: FastifyRequest,
  scope: Scope,
): Promise<Caller> {
  const caller = await whoIsCalling(request);
  if (!caller) throw new Problem("not-signed-in", { headers: { "www-authenticate": "Bearer" } });
  if (!caller.scopes.includes(scope)) {
    throw new Problem("scope-missing", { detail: `This API key lacks the scope "${scope}". Make one that has it.` });
  }
  return caller;
}
