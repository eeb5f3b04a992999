import { randomUUID } from "node:crypto";
import { SESSION_LIMITS } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import {
  type Compilable,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
  type Transaction,
} from "kysely";
import type { AccountTables } from "../tables.ts";
import { lockCallersUser, lockUser, userExists } from "../users/users.ts";

export type SessionRow = Selectable<AccountTables["sessions"]>;

/** The sessions of one person. Expired sessions are not returned, even before they are swept. */
export type SessionStore = {
  /** Most recently used first. */
  list(userId: string, nowMs: number): Promise<SessionRow[]>;
  rename(userId: string, id: string, name: string, nowMs: number): Promise<SessionRow | undefined>;
  /** False: this person has no such session. */
  end(userId: string, id: string): Promise<boolean>;
  /** Ends all sessions except one and returns the ids of those that ended. */
  endOthers(userId: string, keptId: string): Promise<string[]>;
};

export function createSessionStore({ durable }: Database<AccountTables>): SessionStore {
  return {
    list: (userId, nowMs) =>
      durable
        .selectFrom("sessions")
        .selectAll()
        .where("user_id", "=", userId)
        .where("expires_at_ms", ">", nowMs)
        .orderBy("last_used_at_ms", "desc")
        .orderBy("created_at_ms", "desc")
        .execute(),
    rename: (userId, id, name, nowMs) =>
      durable
        .updateTable("sessions")
        .set({ name })
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .where("expires_at_ms", ">", nowMs)
        .returningAll()
        .executeTakeFirst(),
    async end(userId, id) {
      const { numDeletedRows } = await durable
        .deleteFrom("sessions")
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    endOthers: (userId, keptId) =>
      durable.transaction().execute(async (transaction) => {
        // Waits for a session that is being created right now, so that it ends too.
        await lockUser(transaction, userId);
        return deleteOtherSessions(transaction, userId, keptId);
      }),
  };
}

export async function deleteOtherSessions(
  transaction: Transaction<AccountTables>,
  userId: string,
  keptId: string,
): Promise<string[]> {
  const ended = await transaction
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("id", "!=", keptId)
    .returning("id")
    .execute();
  return ended.map(({ id }) => id);
}

export type NewSession = {
  userId: string;
  kind: SessionRow["kind"];
  name: string;
  program: string | null;
  address: string;
  maxAgeS: number;
};

/** A session that is about to be created. Its token exists only here: the table holds a hash. */
type SessionToCreate = {
  id: string;
  token: string;
  expiresAtMs: number;
  /** Returns the ids of the sessions that end: pass them to `callers.forget` afterwards. */
  makeRoom: Compilable<{ id: string }>;
  insert: Compilable;
};

/**
 * The statements that create a session: run `userLock`, then `makeRoom`, then `insert`, in one transaction or batch. They
 * do nothing if the account does not exist then, or the condition does not hold.
 */
export function sessionToCreate(
  db: Kysely<AccountTables>,
  session: NewSession,
  nowMs: number,
  condition: (id: string) => RawBuilder<SqlBool> = () => sql`1 = 1`,
): SessionToCreate {
  const { userId, kind, name, program, address, maxAgeS } = session;
  const id = randomUUID();
  const onlyIf = condition(id);
  const token = newSecret("tok_");
  const expiresAtMs = nowMs + maxAgeS * 1_000;
  const row = {
    ...{ id, user_id: userId, kind, token_hash: hashSecret(token), name, program, address },
    ...{ created_at_ms: nowMs, last_used_at_ms: nowMs, expires_at_ms: expiresAtMs },
  };
  const columns = Object.keys(row) as (keyof typeof row)[];
  const insert = db
    .insertInto("sessions")
    .columns(columns)
    .expression(
      db
        .selectNoFrom(({ val }) => columns.map((column) => val(row[column]).as(column)))
        .where(userExists(userId))
        .where(onlyIf),
    );
  return { id, token, expiresAtMs, makeRoom: makeRoomForSession(db, { userId, kind }, onlyIf), insert };
}

/** Creates a session without making room for it. */
export async function insertSession(
  db: Kysely<AccountTables>,
  session: NewSession,
  nowMs: number,
): Promise<Pick<SessionToCreate, "id" | "token" | "expiresAtMs">> {
  const { insert, ...made } = sessionToCreate(db, session, nowMs);
  await db.executeQuery(insert.compile());
  return made;
}

/**
 * Makes room for one more session of this kind by ending those that were unused for longest. Each kind has its own limit,
 * so that approving one program after the other never signs out the browser.
 */
const makeRoomForSession = (
  db: Kysely<AccountTables>,
  { userId, kind }: Pick<NewSession, "userId" | "kind">,
  onlyIf: RawBuilder<SqlBool>,
) =>
  db
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("kind", "=", kind)
    .where("id", "not in", (kept) =>
      kept
        .selectFrom("sessions")
        .select("id")
        .where("user_id", "=", userId)
        .where("kind", "=", kind)
        .orderBy("last_used_at_ms", "desc")
        .orderBy("created_at_ms", "desc")
        .limit(SESSION_LIMITS.maxPerUserAndKind - 1),
    )
    .where(onlyIf)
    .returning("id");

type CallingSession = { userId: string; sessionId: string };

/** The session, if it still exists. Take `userLock` first: ending all sessions takes the same lock. */
export const callingSession = (db: Kysely<AccountTables>, { userId, sessionId }: CallingSession, nowMs: number) =>
  db
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", sessionId)
    .where("user_id", "=", userId)
    .where("expires_at_ms", ">", nowMs);

/** Whether this session of this person still exists. Call `lockUser` first. */
export async function hasSession(
  transaction: Transaction<AccountTables>,
  caller: CallingSession,
  nowMs: number,
): Promise<boolean> {
  return (await callingSession(transaction, caller, nowMs).executeTakeFirst()) !== undefined;
}

export const sessionEnded = (): Problem =>
  new Problem("not-signed-in", { detail: "This session has ended. Sign in again." });

/**
 * Locks the caller's account; 401 unless it and the calling session still exist. Call it first in a transaction
 * in which a session creates something that outlives it: an ended session must not leave anything new behind.
 */
export async function lockCaller(
  transaction: Transaction<AccountTables>,
  caller: CallingSession,
  nowMs: number,
): Promise<void> {
  await lockCallersUser(transaction, caller.userId);
  const exists = await hasSession(transaction, caller, nowMs);
  if (!exists) throw sessionEnded();
}

/** Rows per statement: others need the database too. */
const SWEEP_BATCH = 1_000;

/** Deletes expired sessions and returns how many. No request has been accepted for them since they expired. */
export async function sweepSessions({ durable }: Database<AccountTables>, nowMs: number): Promise<number> {
  for (let swept = 0; ; ) {
    const { numDeletedRows } = await durable
      .deleteFrom("sessions")
      .where("id", "in", (ended) =>
        ended.selectFrom("sessions").select("id").where("expires_at_ms", "<=", nowMs).limit(SWEEP_BATCH),
      )
      .executeTakeFirst();
    swept += Number(numDeletedRows);
    if (numDeletedRows < SWEEP_BATCH) return swept;
  }
}
