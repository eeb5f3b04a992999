import { type Database, prepare } from "@backplane/kit/database";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";
import { lockCallersUser } from "../users/users.ts";
import { insertSession, lockCaller, makeRoomForSession, type NewSession } from "./store.ts";

/** The session that a person gives to a program, and the browser session in which they do it. */
export type SessionGrant = Omit<NewSession, "kind"> & { approvedBy: string };

export type ProgramSessions = ReturnType<typeof openProgramSessions>;

/** Sessions of programs, for areas that hand out their tokens. Functions with a `transaction` run in the caller's. */
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
    /** 401 when the account was removed; it cannot be removed before the transaction ends. */
    lockUser: <Tables>(transaction: Transaction<Tables>, userId: string): Promise<void> =>
      lockCallersUser(withAccountTables(transaction), userId),

    /** Creates a session, and returns which older ones ended to make room for it: `forget` them after the commit. */
    async grant<Tables>(transaction: Transaction<Tables>, { approvedBy, ...session }: SessionGrant, nowMs: number) {
      const own = withAccountTables(transaction);
      await lockCaller(own, { userId: session.userId, sessionId: approvedBy }, nowMs);
      const ended = await makeRoomForSession(own, session.userId, "Application");
      const { id, token } = await insertSession(own, { ...session, kind: "Application" }, nowMs);
      return { id, token, ended };
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

/** All areas share one database, so any transaction can reach the tables of accounts. */
const withAccountTables = <Tables>(transaction: Transaction<Tables>): Transaction<AccountTables> =>
  transaction as unknown as Transaction<AccountTables>;
