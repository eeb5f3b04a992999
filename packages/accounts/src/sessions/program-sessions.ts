import { type BatchGuard, type Database, prepare } from "@backplane/kit/database";
import { type Compilable, type RawBuilder, type SqlBool, sql } from "kysely";
import type { AccountTables } from "../tables.ts";
import { accountRemoved, userExists, userLock } from "../users/users.ts";
import { callingSession, type NewSession, sessionEnded, sessionToCreate } from "./store.ts";

/** The session that a person gives to a program, and the browser session in which they do it. */
export type SessionGrant = Omit<NewSession, "kind"> & { approvedBy: string };

type GrantedSession = {
  id: string;
  token: string;
  /** The approving session exists. */
  guard: BatchGuard;
  /** The last statements of the batch. The first of them returns which older sessions ended: `forget` them afterwards. */
  create: [makeRoom: Compilable<{ id: string }>, insert: Compilable];
};

export type ProgramSessions = ReturnType<typeof openProgramSessions>;

/** Sessions of programs, for areas that hand out their tokens. `guardUser` and `grant` are for batches of the caller. */
export function openProgramSessions({ durable, shortLived }: Database<AccountTables>) {
  // The user is joined although a session is deleted with its user: no token is ever handed out for a removed account.
  const find = prepare((given: { id: string; nowMs: number }) =>
    shortLived
      .selectFrom("sessions")
      .innerJoin("users", "users.id", "sessions.user_id")
      .select("sessions.id")
      .where("sessions.id", "=", given.id)
      .where("sessions.expires_at_ms", ">", given.nowMs),
  );

  return {
    /** The account exists. */
    guardUser: (userId: string): BatchGuard => ({
      statements: [userLock(durable, userId)],
      holds: userExists(userId),
      check([locked]) {
        if (locked?.numAffectedRows === 0n) throw accountRemoved();
      },
    }),

    grant(
      { approvedBy, ...session }: SessionGrant,
      nowMs: number,
      onlyIf: (id: string) => RawBuilder<SqlBool>,
    ): GrantedSession {
      const { userId } = session;
      const approver = callingSession(durable, { userId, sessionId: approvedBy }, nowMs);
      const made = sessionToCreate(durable, { ...session, kind: "Application" }, nowMs, onlyIf);
      return {
        id: made.id,
        token: made.token,
        guard: {
          statements: [userLock(durable, userId), approver],
          holds: sql`exists ${approver}`,
          check([locked, found]) {
            if (locked?.numAffectedRows === 0n) throw accountRemoved();
            if (found?.rows.length === 0) throw sessionEnded();
          },
        },
        create: [made.makeRoom, made.insert],
      };
    },

    async exists(id: string, nowMs: number): Promise<boolean> {
      return (await find(shortLived, { id, nowMs })).rows.length > 0;
    },

    /** Which of these sessions still exist. */
    async existing(ids: readonly string[], nowMs: number): Promise<ReadonlySet<string>> {
      if (ids.length === 0) return new Set();
      const rows = await shortLived
        .selectFrom("sessions")
        .select("id")
        .where("id", "in", ids)
        .where("expires_at_ms", ">", nowMs)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },

    /** Where the sessions of a person were created or used. */
    async addressesOf(userId: string): Promise<string[]> {
      const rows = await durable
        .selectFrom("sessions")
        .select("address")
        .distinct()
        .where("user_id", "=", userId)
        .execute();
      return rows.map(({ address }) => address);
    },

    async setAddress(id: string, address: string): Promise<void> {
      await durable.updateTable("sessions").set({ address }).where("id", "=", id).execute();
    },

    /** Remembers who was refused this session's token: one row, written at most once per `everyMs` for one address. */
    async noteRefused(id: string, address: string, nowMs: number, everyMs: number): Promise<void> {
      await durable
        .updateTable("sessions")
        .set({ refused_address: address, refused_at_ms: nowMs })
        .where("id", "=", id)
        .where((row) =>
          row.or([
            row("refused_address", "is", null),
            row("refused_address", "<>", address),
            row("refused_at_ms", "<=", nowMs - everyMs),
          ]),
        )
        .execute();
    },
  };
}
