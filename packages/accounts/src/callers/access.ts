import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import { type Caller, requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import type { Database } from "@backplane/kit/database";
import { refuseForeignPage } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AccountTables } from "../tables.ts";

const forbidStoring = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.header("cache-control", "no-store");
};

const refuseForeign = async (request: FastifyRequest): Promise<void> => refuseForeignPage(request);

/** Options of every route about accounts. */
export const READING = { onRequest: [forbidStoring] };

/** For routes that end sessions: a page on another origin may call them with its own token, but never with the cookie. */
export const ENDING = { ...READING, bodyLimit: ACCOUNT_LIMITS.maxBodyBytes };

/** For all other routes that change something. */
export const CHANGING = { onRequest: [forbidStoring, refuseForeign], bodyLimit: ACCOUNT_LIMITS.maxBodyBytes };

/** A session of either kind, or 401; 403 for an API key: a leaked key must not control what else has access. */
export async function requireSession(whoIsCalling: WhoIsCalling, request: FastifyRequest): Promise<Caller> {
  const caller = await whoIsCalling(request);
  if (!caller) throw new Problem("not-signed-in", { headers: { "www-authenticate": "Bearer" } });
  if (caller.kind === "ApiKey") throw new Problem("session-needed", { detail: "Sign in, or use a session token." });
  return caller;
}

/** A person in a browser: programs and keys may act for an account, not change who has access to it. */
export async function requireBrowser(whoIsCalling: WhoIsCalling, request: FastifyRequest): Promise<Caller> {
  const caller = await requireCaller(whoIsCalling, request, "read");
  if (caller.kind !== "Browser") throw new Problem("browser-session-needed");
  return caller;
}

/** The owner of the whole instance, in a browser: neither a program nor a key of theirs. */
export async function requireInstanceOwner(
  { whoIsCalling, database }: { whoIsCalling: WhoIsCalling; database: Database<AccountTables> },
  request: FastifyRequest,
): Promise<Caller> {
  const caller = await requireBrowser(whoIsCalling, request);
  const owner = await database.durable
    .selectFrom("users")
    .select("id")
    .where("id", "=", caller.userId)
    .where("is_owner", "=", 1)
    .executeTakeFirst();
  if (!owner) throw new Problem("owner-only");
  return caller;
}
