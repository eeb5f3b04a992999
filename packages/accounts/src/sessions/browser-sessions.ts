import { BROWSER_SESSION_S } from "@backplane/contract/accounts";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { plainAddress, programOf } from "@backplane/kit/http";
import { hashSecret } from "@backplane/kit/secrets";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Transaction } from "kysely";
import { sessionCookie, sessionTokenOf } from "../callers/credentials.ts";
import type { AccountTables } from "../tables.ts";
import { insertSession, makeRoomForSession } from "./store.ts";

/** Signs a browser in, however the person proved who they are: creates a session and sets its cookie. */
export type StartBrowserSession = (
  request: FastifyRequest,
  reply: FastifyReply,
  userId: string,
) => Promise<{ id: string; expiresAtMs: number }>;

export type BrowserSessionOptions = {
  database: Database<AccountTables>;
  now: Clock;
  /** Whether people reach this server over https. */
  overHttps: boolean;
  /** `callers.forget`. Without it, a replaced session is accepted for up to one more second. */
  forget?: (credentialIds: readonly string[]) => Promise<void>;
};

export function browserSessions({ database, now, overHttps, forget }: BrowserSessionOptions): StartBrowserSession {
  return async (request, reply, userId) => {
    const nowMs = now();
    const program = programOf(request.headers["user-agent"]);
    const oldToken = sessionTokenOf(request, overHttps);
    const { session, ended } = await database.durable.transaction().execute(async (transaction) => {
      const before = oldToken === undefined ? [] : await endBrowserSession(transaction, oldToken);
      const madeRoom = await makeRoomForSession(transaction, userId, "Browser");
      const made = await insertSession(
        transaction,
        {
          userId,
          kind: "Browser",
          name: program ?? "Browser",
          program,
          address: plainAddress(request.ip),
          maxAgeS: BROWSER_SESSION_S,
        },
        nowMs,
      );
      return { session: made, ended: [...before, ...madeRoom] };
    });
    if (ended.length > 0) await forget?.(ended);
    reply.header("set-cookie", sessionCookie(session.token, BROWSER_SESSION_S, overHttps));
    return { id: session.id, expiresAtMs: session.expiresAtMs };
  };
}

/** Ends the session that the browser had so far: its cookie is about to be replaced, and nobody could end it later. */
async function endBrowserSession(transaction: Transaction<AccountTables>, token: string): Promise<string[]> {
  const rows = await transaction
    .deleteFrom("sessions")
    .where("token_hash", "=", hashSecret(token))
    .where("kind", "=", "Browser")
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}
