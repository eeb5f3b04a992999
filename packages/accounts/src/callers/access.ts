import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import { type Caller, requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import type { Database } from "@backplane/kit/database";
import { refuseForeignPage } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AccountTables } from "../tables.ts";
import { requireSession } from "./require-session.ts";

const forbidStoring = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.header("cache-control", "no-store");
};

const refuseForeign = async (request: FastifyRequest): Promise<void> => refuseForeignPage(request);

/** What every route about accounts has. */
export const READING = { onRequest: [forbidStoring] };

/** What ends sessions: also a page of another origin may, by a token of its own. `whoIsCalling` refuses it by cookie. */
export const ENDING = { ...READING, bodyLimit: ACCOUNT_LIMITS.maxBodyBytes };

/** And every one that changes something. */
export const CHANGING = { onRequest: [forbidStoring, refuseForeign], bodyLimit: ACCOUNT_LIMITS.maxBodyBytes };

/** The person in front of a browser: programs and keys may act for an account, not change who has it. */
export async function requireBrowser(whoIsCalling: WhoIsCalling, request: FastifyRequest): Promise<Caller> {
  const caller = await requireCaller(whoIsCalling, request, "read");
  if (caller.kind !== "Browser") throw new Problem("browser-session-needed");
  return caller;
}

/** The owner of the whole instance: in a browser, unless a session that the owner gave a program does, too. Never a key. */
export async function requireInstanceOwner(
  { whoIsCalling, database }: { whoIsCalling: WhoIsCalling; database: Database<AccountTables> },
  request: FastifyRequest,
  { byProgram = false }: { byProgram?: boolean } = {},
): Promise<Caller> {
  const caller = byProgram ? await requireSession(whoIsCalling, request) : await requireBrowser(whoIsCalling, request);
  const owner = await database.durable
    .selectFrom("users")
    .select("id")
    .where("id", "=", caller.userId)
    .where("is_owner", "=", 1)
    .executeTakeFirst();
  if (!owner) throw new Problem("owner-only");
  return caller;
}
