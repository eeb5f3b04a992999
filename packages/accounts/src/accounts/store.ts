import { ALL_SCOPES } from "@backplane/contract/accounts";
import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";

export type NewOwner = {
  id: string;
  name: string;
  email: string;
  passwordHash: string;
  keyId: string;
  keyHash: string;
  keyHint: string;
};

export type AccountStore = {
  hasOwner(): Promise<boolean>;
  /** The owner and the first key, together or not at all. Fails with a unique violation when there is an owner. */
  insertOwner(owner: NewOwner, nowMs: number): Promise<void>;
};

export function createAccountStore({ durable }: Database<AccountTables>): AccountStore {
  return {
    async hasOwner() {
      const owner = await durable.selectFrom("users").select("id").where("is_owner", "=", 1).executeTakeFirst();
      return owner !== undefined;
    },
    async insertOwner({ id, name, email, passwordHash, keyId, keyHash, keyHint }, nowMs) {
      await durable.transaction().execute(async (transaction) => {
        await transaction
          .insertInto("users")
          .values({
            id,
            name,
            display_name: "",
            email,
            password_hash: passwordHash,
            is_owner: 1,
            created_at_ms: nowMs,
          })
          .execute();
        await transaction
          .insertInto("owner_names")
          .values({ name: name.toLowerCase(), user_id: id, organisation_id: null })
          .execute();
        await transaction
          .insertInto("api_keys")
          .values({
            id: keyId,
            user_id: id,
            name: "first start",
            key_hash: keyHash,
            hint: keyHint,
            scopes: ALL_SCOPES.join(","),
            created_at_ms: nowMs,
            last_used_at_ms: null,
          })
          .execute();
      });
    },
  };
}
