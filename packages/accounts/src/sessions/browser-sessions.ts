import { BROWSER_SESSION_S } from "@backplane/contract/accounts";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { plainAddress, programOf } from "@backplane/kit/http";
import { hashSecret } from "@backplane/kit/secrets";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import { sessionCookie, sessionTokenOf } from "../callers/credentials.ts";
import type { AccountTables } from "../tables.ts";
import { accountRemoved, userExists, userLock } from "../users/users.ts";
import { sessionToCreate } from "./store.ts";

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
  onSignIn?: () => void;
};

export function browserSessions(options: BrowserSessionOptions): StartBrowserSession {
  const { database, now, overHttps, forget, onSignIn } = options;
  return async (request, reply, userId) => {
    const nowMs = now();
    const program = programOf(request.headers["user-agent"]);
    const oldToken = sessionTokenOf(request, overHttps);
    const { durable } = database;
    const made = sessionToCreate(
      durable,
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
    const endOld = oldToken === undefined ? [] : [endBrowserSession(durable, oldToken, userId)];
    const ending = [...endOld, made.makeRoom];
    const [locked, ...results] = await database.batch([userLock(durable, userId), ...ending, made.insert]);
    if (locked.numAffectedRows === 0n) throw accountRemoved();
    const ended = results.slice(0, ending.length).flatMap(({ rows }) => (rows as { id: string }[]).map(({ id }) => id));
    if (ended.length > 0) await forget?.(ended);
    reply.header("set-cookie", sessionCookie(made.token, BROWSER_SESSION_S, overHttps));
    onSignIn?.();
    return { id: made.id, expiresAtMs: made.expiresAtMs };
  };
}

/** Ends the session that the browser had so far: its cookie is about to be replaced, and nobody could end it later. */
const endBrowserSession = (db: Kysely<AccountTables>, token: string, newUserId: string) =>
  db
    .deleteFrom("sessions")
    .where("token_hash", "=", hashSecret(token))
    .where("kind", "=", "Browser")
    .where(userExists(newUserId))
    .returning("id");
