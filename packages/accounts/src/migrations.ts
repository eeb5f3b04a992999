import type { Migration } from "@backplane/kit/database";
import { sql } from "kysely";

/** The same SQL for both engines. Rows of a person are deleted with the person. `intents` belong to another package now. */
const SESSIONS = [
  "alter table users add column display_name text not null default ''",
  "alter table api_keys add column hint text not null default ''",
  "alter table api_keys add column scopes text not null default 'panels,publish,read'",
  "create index api_keys_by_user on api_keys (user_id)",
  `create table organisations (
    id text primary key, name text not null, display_name text not null, created_at_ms bigint not null)`,
  `create table owner_names (
    name text primary key,
    user_id text references users (id) on delete cascade,
    organisation_id text references organisations (id) on delete cascade)`,
  "insert into owner_names (name, user_id) select lower(name), id from users",
  `create table memberships (
    organisation_id text not null references organisations (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    role text not null, added_at_ms bigint not null,
    primary key (organisation_id, user_id))`,
  "create index memberships_by_user on memberships (user_id)",
  `create table invitations (
    id text primary key, token_hash text not null unique, note text not null,
    created_by text not null references users (id) on delete cascade,
    created_at_ms bigint not null, expires_at_ms bigint not null, used_by text)`,
  `create table identities (
    issuer text not null, subject text not null,
    user_id text not null references users (id) on delete cascade,
    created_at_ms bigint not null,
    primary key (issuer, subject))`,
  "create index identities_by_user on identities (user_id)",
  `create table passkeys (
    id text primary key, user_id text not null references users (id) on delete cascade,
    rp_id text not null, public_key text not null, counter bigint not null, transports text not null,
    name text not null, created_at_ms bigint not null, last_used_at_ms bigint)`,
  "create index passkeys_by_user on passkeys (user_id)",
  `create table sessions (
    id text primary key, user_id text not null references users (id) on delete cascade,
    kind text not null, token_hash text not null unique, name text not null, program text, address text not null,
    created_at_ms bigint not null, last_used_at_ms bigint not null, expires_at_ms bigint not null,
    refused_address text, refused_at_ms bigint)`,
  "create index sessions_by_user on sessions (user_id)",
  "create index sessions_by_end on sessions (expires_at_ms)",
  `create table intents (
    token_hash text primary key, state text not null, confirmation_code text not null,
    app_name text, code_challenge text, max_age_s bigint not null,
    created_at_ms bigint not null, expires_at_ms bigint not null,
    created_address text not null, created_program text, wrong_codes integer not null,
    user_id text references users (id) on delete cascade, decided_at_ms bigint,
    session_id text, sealed_token text, consumer text, consumed_at_ms bigint)`,
  "create index intents_unanswered on intents (expires_at_ms) where state = 'pending'",
  "create index intents_decided on intents (user_id, decided_at_ms) where user_id is not null",
  `create table intent_callers (
    intent_hash text not null references intents (token_hash) on delete cascade,
    address text not null, program text, first_seen_ms bigint not null,
    primary key (intent_hash, address))`,
];

/** Only add to this list; never change a released migration. */
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
      // Ada and ada are the same name.
      await sql`create unique index users_by_name on users (lower(name))`.execute(transaction);
      await sql`create unique index users_by_email on users (lower(email))`.execute(transaction);
      // The database enforces that there is one owner: a second insert fails.
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
  {
    name: "intents-0002-sessions",
    async up(transaction) {
      for (const statement of SESSIONS) await sql.raw(statement).execute(transaction);
    },
  },
  {
    name: "accounts-0003-password-resets",
    async up(transaction) {
      await sql`create table password_resets (
        user_id text primary key references users (id) on delete cascade,
        token_hash text not null unique,
        created_by text references users (id) on delete cascade,
        created_at_ms bigint not null, expires_at_ms bigint not null)`.execute(transaction);
    },
  },
  {
    name: "accounts-0004-removed-owners",
    async up(transaction) {
      await sql`create table removed_owners (id text primary key, removed_at_ms bigint not null)`.execute(transaction);
    },
  },
  {
    name: "accounts-0005-organisation-invitations",
    async up(transaction) {
      await sql`create table organisation_invitations (
        organisation_id text not null references organisations (id) on delete cascade,
        user_id text not null references users (id) on delete cascade,
        role text not null, invited_by text references users (id) on delete set null, invited_at_ms bigint not null,
        primary key (organisation_id, user_id))`.execute(transaction);
      await sql`create index organisation_invitations_by_user on organisation_invitations (user_id)`.execute(
        transaction,
      );
    },
  },
];
