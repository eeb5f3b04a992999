import { randomUUID } from "node:crypto";
import { ALL_SCOPES, API_KEY_LIMITS, type Scope } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import type { Selectable } from "kysely";
import { requireLiveSession } from "../sessions/live-session.ts";
import type { AccountTables } from "../tables.ts";
import { lockCallersUser } from "../users/users.ts";
import { hintOf } from "./hint.ts";

export type ApiKeyRow = Omit<Selectable<AccountTables["api_keys"]>, "key_hash" | "user_id">;

export type NewKey = { name: string; scopes: readonly Scope[] };

/** Whose the key is, and the session that asks for it. */
export type KeyMaker = { userId: string; sessionId: string };

export type ApiKeyStore = {
  /** The newest first. */
  list(userId: string): Promise<ApiKeyRow[]>;
  /** The key itself exists only in what is returned. However many are made at once, no account has more than it may. */
  make(maker: KeyMaker, key: NewKey, nowMs: number): Promise<{ key: string; row: ApiKeyRow } | "too-many">;
  /** False: there is no such key of theirs. */
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
    make: ({ userId, sessionId }, { name, scopes }, nowMs) =>
      durable.transaction().execute(async (transaction) => {
        await lockCallersUser(transaction, userId);
        await requireLiveSession(transaction, sessionId, nowMs);
        const { count } = await transaction
          .selectFrom("api_keys")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("user_id", "=", userId)
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
          .values({ ...row, user_id: userId, key_hash: hashSecret(key) })
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
