import type { Database } from "@backplane/kit/database";
import type { Selectable } from "kysely";
import type { AccountTables } from "../tables.ts";
import { lockUser } from "../users/users.ts";

export type SessionRow = Selectable<AccountTables["sessions"]>;

/** Sessions of one person. One whose time is over is neither shown nor named, also before it is swept. */
export type SessionStore = {
  /** The last used first. */
  list(userId: string, nowMs: number): Promise<SessionRow[]>;
  rename(userId: string, id: string, name: string, nowMs: number): Promise<SessionRow | undefined>;
  /** False: there is no such session of theirs. */
  end(userId: string, id: string): Promise<boolean>;
  /** Ends all but one; which ones ended. */
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
        // One that another session is making at this moment is waited for, and ends too.
        await lockUser(transaction, userId);
        const ended = await transaction
          .deleteFrom("sessions")
          .where("user_id", "=", userId)
          .where("id", "!=", keptId)
          .returning("id")
          .execute();
        return ended.map(({ id }) => id);
      }),
  };
}
