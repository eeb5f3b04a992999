import type { Database, Migration } from "@backplane/kit/database";
import { sql } from "kysely";

/** The same SQL for both engines, except for the type of bytes. */
const tables = (engine: Database<unknown>["engine"]): string[] => [
  `create table registry_packages (
    identifier_key text primary key, identifier text not null, owner_id text not null,
    metadata text not null, icon ${engine === "postgres" ? "bytea" : "blob"},
    created_at_ms bigint not null, updated_at_ms bigint not null, revision bigint not null default 0)`,
  "create index registry_packages_by_owner on registry_packages (owner_id)",
  "create index registry_packages_by_revision on registry_packages (revision)",
  `create table registry_versions (
    identifier_key text not null references registry_packages (identifier_key) on delete cascade,
    epoch bigint not null, major integer not null, minor integer not null, patch integer not null,
    status text not null, metadata text not null,
    blob_key text not null, sha256 text not null, size bigint not null,
    install_size bigint not null, file_count integer not null,
    manifest text not null, manifest_sha256 text not null, manifest_size bigint not null,
    published_by text not null, published_at_ms bigint not null, downloads bigint not null default 0,
    primary key (identifier_key, epoch, major, minor, patch))`,
  "create unique index registry_versions_by_blob on registry_versions (blob_key)",
  "create index registry_versions_by_manifest on registry_versions (manifest_sha256)",
  `create table registry_state (
    id integer primary key, revision bigint not null, update_timestamp bigint not null,
    resources_timestamp bigint not null default 0, manifests_timestamp bigint not null default 0,
    issued_at_s bigint not null, edges text not null)`,
  "insert into registry_state (id, revision, update_timestamp, issued_at_s, edges) values (1, 0, 0, 0, '')",
  `create table registry_uploads (
    blob_key text primary key, since_ms bigint not null, is_given_up integer not null default 0)`,
  `create table registry_keys (
    id text primary key, public_key text not null, private_key text not null,
    state text not null, created_at_ms bigint not null, retired_at_ms bigint)`,
  // Only one current and one next key: if several instances create one together, one wins.
  "create unique index registry_keys_one_current on registry_keys (state) where state = 'current'",
  "create unique index registry_keys_one_next on registry_keys (state) where state = 'next'",
];

/** Only add to this list; never change a released migration. */
export const migrations: readonly Migration[] = [
  {
    name: "registry-0001-packages",
    async up(transaction, engine) {
      for (const text of tables(engine)) await sql.raw(text).execute(transaction);
    },
  },
  {
    name: "registry-0002-unpublished",
    async up(transaction) {
      for (const column of ["unpublished_at_ms bigint", "unpublished_by text", "unpublished_reason text"]) {
        await sql.raw(`alter table registry_versions add column ${column}`).execute(transaction);
      }
    },
  },
  {
    name: "registry-0003-screenshots",
    async up(transaction) {
      await sql.raw("alter table registry_versions add column screenshots text").execute(transaction);
    },
  },
  {
    name: "registry-0004-private",
    async up(transaction) {
      for (const text of [
        "alter table registry_packages add column is_private integer not null default 0",
        `create table registry_addresses (
          id text primary key, owner_id text not null, name text not null, token_hash text not null,
          created_by text not null, created_at_ms bigint not null)`,
        "create unique index registry_addresses_by_token on registry_addresses (token_hash)",
        "create index registry_addresses_by_owner on registry_addresses (owner_id)",
      ]) {
        await sql.raw(text).execute(transaction);
      }
    },
  },
  {
    // So that sums of sizes, for quotas and the System page, do not read the metadata of every version.
    name: "registry-0005-sizes",
    async up(transaction) {
      await sql`create index registry_versions_by_size on registry_versions (identifier_key, size)`.execute(
        transaction,
      );
    },
  },
  {
    name: "registry-0006-panels",
    async up(transaction) {
      await sql`alter table registry_versions add column panel text`.execute(transaction);
    },
  },
];
