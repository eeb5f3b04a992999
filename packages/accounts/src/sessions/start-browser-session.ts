import { BROWSER_SESSION_S } from "@backplane/contract/accounts";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { plainAddress, programOf } from "@backplane/kit/http";
import { hashSecret } from "@backplane/kit/secrets";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hostSessionTokenIn, sessionTokenIn } from "../callers/cookies.ts";
import { sessionCookie } from "../callers/session-cookie-text.ts";
import type { AccountTables } from "../tables.ts";
import { insertSession } from "./insert-session.ts";
import { makeRoomForSession } from "./make-room.ts";

/** Signs a browser in, whichever way it proved who it is: a session, and the cookie that holds its token. */
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
  /** `callers.forget`; without it what gave way is remembered up to a second longer. */
  forget?: (credentialIds: readonly string[]) => Promise<void>;
};

export function browserSessions({ database, now, overHttps, forget }: BrowserSessionOptions): StartBrowserSession {
  return async (request, reply, userId) => {
    const nowMs = now();
    const program = programOf(request.headers["user-agent"]);
    const oldToken = overHttps ? hostSessionTokenIn(request.headers) : sessionTokenIn(request.headers.cookie);
    const { session, ended } = await database.durable.transaction().execute(async (transaction) => {
      const before = oldToken === undefined ? [] : await endBrowserSession(transaction, oldToken);
      const gaveWay = await makeRoomForSession(transaction, userId, "Browser");
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
      return { session: made, ended: [...before, ...gaveWay] };
    });
    if (ended.length > 0) await forget?.(ended);
    reply.header("set-cookie", sessionCookie(session.token, BROWSER_SESSION_S, { overHttps }));
    return { id: session.id, expiresAtMs: session.expiresAtMs };
  };

  /** The browser's session until now: its cookie is about to be replaced, and nobody could end it any more. */
  async function endBrowserSession(transaction: Parameters<typeof makeRoomForSession>[0], token: string) {
    const rows = await transaction
      .deleteFrom("sessions")
      .where("token_hash", "=", hashSecret(token))
      .where("kind", "=", "Browser")
      .returning("id")
      .execute();
    return rows.map(({ id }) => id);
  }
}
