import type { Scope } from "@backplane/contract/accounts";
import type { FastifyRequest } from "fastify";
import { Problem } from "./problems.ts";

/** Who makes a request, and by which credential: a browser's session, a program's session or an API key. */
export type Caller = {
  readonly userId: string;
  readonly userName: string;
  readonly kind: "Browser" | "Application" | "ApiKey";
  /** The id of the session or the key. */
  readonly credentialId: string;
  /** The name of the program, browser or key, for people. */
  readonly credentialName: string;
  readonly scopes: readonly Scope[];
};

/** The caller of a request; undefined without a valid credential. */
export type WhoIsCalling = (request: FastifyRequest) => Promise<Caller | undefined>;

/** The caller; throws 401 without one, and 403 for a key without the scope. */
export async function requireCaller(
  whoIsCalling: WhoIsCalling,
  request: FastifyRequest,
  scope: Scope,
): Promise<Caller> {
  const caller = await whoIsCalling(request);
  if (!caller) throw new Problem("not-signed-in", { headers: { "www-authenticate": "Bearer" } });
  if (!caller.scopes.includes(scope)) {
    throw new Problem("scope-missing", {
      detail: `This API key lacks the scope "${scope}". Create a key that has it.`,
    });
  }
  return caller;
}
