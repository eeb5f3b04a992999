import type { Database } from "@backplane/kit/database";
import type { Transaction } from "kysely";
import { hasSession } from "../sessions/store.ts";
import type { AccountTables } from "../tables.ts";
import { lockUser } from "../users/users.ts";
import type { Linking } from "./flows.ts";
import type { Identity } from "./provider.ts";

export type IdentityStore = ReturnType<typeof createIdentityStore>;

/** Which account belongs to which person at a provider. Each of these people has at most one account here. */
export function createIdentityStore({ durable }: Database<AccountTables>) {
  async function userOf({ issuer, subject }: Identity): Promise<string | undefined> {
    const found = await durable
      .selectFrom("identities")
      .select("user_id")
      .where("issuer", "=", issuer)
      .where("subject", "=", subject)
      .executeTakeFirst();
    return found?.user_id;
  }

  return {
    userOf,

    async isLinked(userId: string): Promise<boolean> {
      const found = await durable
        .selectFrom("identities")
        .select("subject")
        .where("user_id", "=", userId)
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },

    /** "ended": the session that asked no longer exists. */
    async link(identity: Identity, linking: Linking, nowMs: number): Promise<"linked" | "taken" | "ended"> {
      const outcome = await durable.transaction().execute(async (transaction) => {
        const exists = (await lockUser(transaction, linking.userId)) && (await hasSession(transaction, linking, nowMs));
        if (!exists) return "ended";
        return (await insertIdentity(transaction, identity, linking.userId, nowMs)) ? "linked" : "taken";
      });
      return outcome === "taken" && (await userOf(identity)) === linking.userId ? "linked" : outcome;
    },

    /** Refuses to remove the last way to sign in. */
    unlink: (userId: string): Promise<"unlinked" | "none" | "last"> =>
      durable.transaction().execute(async (transaction) => {
        // Without the lock, two ways that are removed at the same moment would each see the other.
        await lockUser(transaction, userId);
        const { numDeletedRows } = await transaction
          .deleteFrom("identities")
          .where("user_id", "=", userId)
          .where(({ or, exists, selectFrom }) =>
            or([
              exists(selectFrom("users").select("id").where("id", "=", userId).where("password_hash", "<>", "")),
              exists(selectFrom("passkeys").select("id").where("user_id", "=", userId)),
            ]),
          )
          .executeTakeFirst();
        if (numDeletedRows > 0n) return "unlinked";
        const left = await transaction
          .selectFrom("identities")
          .select("subject")
          .where("user_id", "=", userId)
          .executeTakeFirst();
        return left ? "last" : "none";
      }),
  };
}

/** False when it already belongs to somebody. */
export async function insertIdentity(
  transaction: Transaction<AccountTables>,
  { issuer, subject }: Identity,
  userId: string,
  nowMs: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto("identities")
    .values({ issuer, subject, user_id: userId, created_at_ms: nowMs })
    .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}
