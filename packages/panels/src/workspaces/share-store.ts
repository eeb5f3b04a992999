import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { Database } from "@backplane/kit/database";
import type { PanelsTables } from "../tables.ts";

/** One person, by the id of the account, and one workspace. */
export type Share = { workspaceId: string; userId: string };

/** Shares per statement. */
const BATCH = 200;

export const shareKey = ({ workspaceId, userId }: Share): string => `${workspaceId} ${userId}`;

export type ShareStore = ReturnType<typeof createShareStore>;

/** With whom workspaces are shared. A share that was not accepted counts for nothing. */
export function createShareStore({ durable }: Database<PanelsTables>) {
  /** The keys of those that are accepted. */
  async function inForce(shares: readonly Share[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (let from = 0; from < shares.length; from += BATCH) {
      const some = shares.slice(from, from + BATCH);
      const rows = await durable
        .selectFrom("panels_shares")
        .select(["workspace_id", "user_id"])
        .where("accepted_at_ms", "is not", null)
        .where("workspace_id", "in", [...new Set(some.map(({ workspaceId }) => workspaceId))])
        .where("user_id", "in", [...new Set(some.map(({ userId }) => userId))])
        .execute();
      for (const row of rows) found.add(shareKey({ workspaceId: row.workspace_id, userId: row.user_id }));
    }
    return found;
  }

  return {
    inForce,
    has: async (share: Share): Promise<boolean> => (await inForce([share])).size > 0,

    async people(workspaceId: string): Promise<{ userId: string; isAccepted: boolean }[]> {
      const rows = await durable
        .selectFrom("panels_shares")
        .select(["user_id", "accepted_at_ms"])
        .where("workspace_id", "=", workspaceId)
        .orderBy("created_at_ms")
        .orderBy("user_id")
        .execute();
      return rows.map((row) => ({ userId: row.user_id, isAccepted: row.accepted_at_ms !== null }));
    },

    /** The workspaces that a person has accepted, or not yet: invitations cannot crowd out what is accepted. Newest first. */
    async of(userId: string, which: "accepted" | "invited"): Promise<string[]> {
      const rows = await durable
        .selectFrom("panels_shares")
        .select("workspace_id")
        .where("user_id", "=", userId)
        .where("accepted_at_ms", which === "accepted" ? "is not" : "is", null)
        .orderBy("created_at_ms", "desc")
        .orderBy("workspace_id")
        .limit(PANELS_LIMITS.maxSharesListed)
        .execute();
      return rows.map((row) => row.workspace_id);
    },

    async invite({ workspaceId, userId }: Share, nowMs: number): Promise<void> {
      await durable
        .insertInto("panels_shares")
        .values({ workspace_id: workspaceId, user_id: userId, accepted_at_ms: null, created_at_ms: nowMs })
        .onConflict((conflict) => conflict.columns(["workspace_id", "user_id"]).doNothing())
        .execute();
    },

    /** One statement: false when it was taken back, even at the same moment. */
    async accept({ workspaceId, userId }: Share, nowMs: number): Promise<boolean> {
      const { numUpdatedRows } = await durable
        .updateTable("panels_shares")
        .set({ accepted_at_ms: nowMs })
        .where("workspace_id", "=", workspaceId)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    async end({ workspaceId, userId }: Share): Promise<boolean> {
      const { numDeletedRows } = await durable
        .deleteFrom("panels_shares")
        .where("workspace_id", "=", workspaceId)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return numDeletedRows === 1n;
    },
  };
}
