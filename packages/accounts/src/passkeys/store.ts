import { PASSKEY_LIMITS } from "@backplane/contract/accounts";
import { type Database, isUniqueViolation } from "@backplane/kit/database";
import type { Transaction } from "kysely";
import { lockCaller } from "../sessions/store.ts";
import type { AccountTables } from "../tables.ts";
import { lockUser } from "../users/users.ts";
import type { KnownPasskey, VerifiedPasskey } from "./verify.ts";

export type PasskeyRow = { id: string; name: string; createdAtMs: number; lastUsedAtMs: number | null };
/** The account it is for, and the session that adds it. */
export type NewPasskey = VerifiedPasskey & { userId: string; sessionId: string; rpId: string; name: string };

export type PasskeyStore = ReturnType<typeof createPasskeyStore>;

export function createPasskeyStore({ durable }: Database<AccountTables>) {
  const rows = durable
    .selectFrom("passkeys")
    .select(["id", "name", "created_at_ms as createdAtMs", "last_used_at_ms as lastUsedAtMs"]);

  return {
    personOf: (userId: string) =>
      durable
        .selectFrom("users")
        .select(["name", "display_name as displayName"])
        .where("id", "=", userId)
        .executeTakeFirst(),

    listOf: (userId: string): Promise<PasskeyRow[]> =>
      rows.where("user_id", "=", userId).orderBy("created_at_ms").orderBy("id").execute(),

    /** The passkeys that a browser may use at this host. */
    async usableAt(userId: string, rpId: string): Promise<{ id: string; transports: string[] }[]> {
      const found = await durable
        .selectFrom("passkeys")
        .select(["id", "transports"])
        .where("user_id", "=", userId)
        .where("rp_id", "=", rpId)
        .execute();
      return found.map(({ id, transports }) => ({ id, transports: transports.split(",").filter(Boolean) }));
    },

    async insert(passkey: NewPasskey, nowMs: number): Promise<PasskeyRow | "too-many" | "known"> {
      try {
        return await durable.transaction().execute((transaction) => insertPasskey(transaction, passkey, nowMs));
      } catch (error) {
        if (isUniqueViolation(error)) return "known";
        throw error;
      }
    },

    rename: (userId: string, id: string, name: string): Promise<PasskeyRow | undefined> =>
      durable
        .updateTable("passkeys")
        .set({ name })
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .returning(["id", "name", "created_at_ms as createdAtMs", "last_used_at_ms as lastUsedAtMs"])
        .executeTakeFirst(),

    /** Refuses to remove the last way to sign in. */
    remove: (userId: string, id: string): Promise<"removed" | "unknown" | "last"> =>
      durable.transaction().execute((transaction) => removePasskey(transaction, userId, id)),

    find: (id: string, rpId: string): Promise<KnownPasskey | undefined> =>
      durable
        .selectFrom("passkeys")
        .select(["id", "user_id as userId", "public_key as publicKey", "counter"])
        .where("id", "=", id)
        .where("rp_id", "=", rpId)
        .executeTakeFirst(),

    /**
     * A counter that does not increase means that the key was copied, unless it is always 0: then the authenticator does
     * not count. When two sign-ins use the same counter, one wins.
     */
    async use({ id, userId }: KnownPasskey, counter: number, nowMs: number): Promise<boolean> {
      const { numUpdatedRows } = await durable
        .updateTable("passkeys")
        .set({ counter, last_used_at_ms: nowMs })
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .where((row) => row.or([row("counter", "<", counter), ...(counter === 0 ? [row("counter", "=", 0)] : [])]))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

async function insertPasskey(
  transaction: Transaction<AccountTables>,
  { id, userId, sessionId, rpId, publicKey, counter, transports, name }: NewPasskey,
  nowMs: number,
): Promise<PasskeyRow | "too-many"> {
  await lockCaller(transaction, { userId, sessionId }, nowMs);
  const { count } = await transaction
    .selectFrom("passkeys")
    .select((row) => row.fn.countAll<number | string>().as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= PASSKEY_LIMITS.maxPerUser) return "too-many";
  await transaction
    .insertInto("passkeys")
    .values({
      id,
      user_id: userId,
      rp_id: rpId,
      public_key: publicKey,
      counter,
      transports: transports.join(","),
      name,
      created_at_ms: nowMs,
      last_used_at_ms: null,
    })
    .execute();
  return { id, name, createdAtMs: nowMs, lastUsedAtMs: null };
}

async function removePasskey(
  transaction: Transaction<AccountTables>,
  userId: string,
  id: string,
): Promise<"removed" | "unknown" | "last"> {
  // Without the lock, two ways that are removed at the same moment would each see the other.
  await lockUser(transaction, userId);
  const { numDeletedRows } = await transaction
    .deleteFrom("passkeys")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(selectFrom("users").select("id").where("id", "=", userId).where("password_hash", "<>", "")),
        exists(selectFrom("identities").select("subject").where("user_id", "=", userId)),
        exists(
          selectFrom("passkeys as other")
            .select("other.id")
            .where("other.user_id", "=", userId)
            .where("other.id", "<>", id),
        ),
      ]),
    )
    .executeTakeFirst();
  if (numDeletedRows > 0n) return "removed";
  const left = await transaction
    .selectFrom("passkeys")
    .select("id")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return left ? "last" : "unknown";
}
