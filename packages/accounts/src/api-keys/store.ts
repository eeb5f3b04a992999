import { randomUUID } from "node:crypto";
import { ALL_SCOPES, API_KEY_LIMITS, type Scope } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import type { Selectable } from "kysely";
import { lockCaller } from "../sessions/store.ts";
import type { AccountTables } from "../tables.ts";

export type ApiKeyRow = Omit<Selectable<AccountTables["api_keys"]>, "key_hash" | "user_id">;

export type NewKey = { name: string; scopes: readonly Scope[] };

export type ApiKeyStore = {
  /** Newest first. */
  list(userId: string): Promise<ApiKeyRow[]>;
  /** The key itself exists only in what is returned. The limit per account also holds for concurrent calls. */
  make(
    caller: { userId: string; sessionId: string },
    key: NewKey,
    nowMs: number,
  ): Promise<{ key: string; row: ApiKeyRow } | "too-many">;
  /** False: this person has no such key. */
  end(userId: string, id: string): Promise<boolean>;
};

const SHOWN = ["id", "name", "hint", "scopes", "created_at_ms", "last_used_at_ms"] as const;

export function createApiKeyStore({ durable }: Database<AccountTables>): ApiKeyStore {
  return {
    list: (userId) =>
      durable
        .selectFrom("api_keys")
        .select(SHOWN)
        .where("user_id", "=", userId)
        .orderBy("created_at_ms", "desc")
        .orderBy("id")
        .execute(),
    make: (caller, { name, scopes }, nowMs) =>
      durable.transaction().execute(async (transaction) => {
        await lockCaller(transaction, caller, nowMs);
        const { count } = await transaction
          .selectFrom("api_keys")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("user_id", "=", caller.userId)
          .executeTakeFirstOrThrow();
        if (count >= API_KEY_LIMITS.maxPerUser) return "too-many";
        const key = newSecret("bpk_");
        const row: ApiKeyRow = {
          id: randomUUID(),
          name,
          hint: hintOf(key),
          scopes: ALL_SCOPES.filter((scope) => scopes.includes(scope)).join(","),
          created_at_ms: nowMs,
          last_used_at_ms: null,
        };
        await transaction
          .insertInto("api_keys")
          .values({ ...row, user_id: caller.userId, key_hash: hashSecret(key) })
          .execute();
        return { key, row };
      }),
    async end(userId, id) {
      const { numDeletedRows } = await durable
        .deleteFrom("api_keys")
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

/** The first and last characters of a key: enough to recognise it, not to use it. */
export const hintOf = (key: string): string => `${key.slice(0, 8)}…${key.slice(-4)}`;
