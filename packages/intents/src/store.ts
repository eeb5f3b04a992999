import type { Database, Migration } from "@backplane/kit/database";
import { sql } from "kysely";

export type AccountTables = {
  users: { id: string; name: string; email: string; password_hash: string; is_owner: number; created_at_ms: number };
  api_keys: {
    id: string;
    user_id: string;
    name: string;
    key_hash: string;
    created_at_ms: number;
    last_used_at_ms: number | null;
  };
};

export const migrations: readonly Migration[] = [
  {
    name: "intents-0001-accounts",
    async up(transaction) {
      await transaction.schema
        .createTable("users")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("email", "text", (column) => column.notNull())
        .addColumn("password_hash", "text", (column) => column.notNull())
        .addColumn("is_owner", "integer", (column) => column.notNull())
        .addColumn("created_at_ms", "bigint", (column) => column.notNull())
        .execute();
      // Ada and ada are one person.
      await sql`create unique index users_by_name on users (lower(name))`.execute(transaction);
      await sql`create unique index users_by_email on users (lower(email))`.execute(transaction);
      // The rule "one owner" is the database's: whoever inserts second fails.
      await sql`create unique index users_one_owner on users (is_owner) where is_owner = 1`.execute(transaction);
      await transaction.schema
        .createTable("api_keys")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("user_id", "text", (column) => column.notNull().references("users.id").onDelete("cascade"))
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("key_hash", "text", (column) => column.notNull().unique())
        .addColumn("created_at_ms", "bigint", (column) => column.notNull())
        .addColumn("last_used_at_ms", "bigint")
        .execute();
    },
  },
];

export type NewOwner = {
  id: string;
  name: string;
  email: string;
  passwordHash: string;
  keyId: string;
  keyHash: string;
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
    async insertOwner({ id, name, email, passwordHash, keyId, keyHash }, nowMs) {
      await durable.transaction().execute(async (transaction) => {
        await transaction
          .insertInto("users")
          .values({ id, name, email, password_hash: passwordHash, is_owner: 1, created_at_ms: nowMs })
          .execute();
        await transaction
          .insertInto("api_keys")
          .values({
            id: keyId,
            user_id: id,
            name: "first key",
            key_hash: keyHash,
            created_at_ms: nowMs,
            last_used_at_ms: null,
          })
          .execute();
      });
    },
  };
}
