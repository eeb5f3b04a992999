import type { Database, Migration } from "@backplane/kit/database";
import { type Generated, sql } from "kysely";

/** Every table of the registry. Times are epoch milliseconds. */
export type RegistryTables = {
  registry_packages: {
    /** The identifier in lower case, because identifiers that differ only in case would share a folder. */
    identifier_key: string;
    identifier: string;
    /** The id of a user or an organisation. */
    owner_id: string;
    /** The package as JSON in the neutral spelling, without versions, from the metadata of its latest version. */
    metadata: string;
    icon: Uint8Array | null;
    created_at_ms: number;
    updated_at_ms: number;
    /** The revision of `registry_state` when this package or one of its versions last changed. */
    revision: Generated<number>;
  };
  registry_versions: {
    identifier_key: string;
    epoch: number;
    major: number;
    minor: number;
    patch: number;
    status: string;
    /** The version as JSON in the neutral spelling, with sha256 and sizes, without status and address. */
    metadata: string;
    /** Where the archive is in the blob store; its bytes never change. */
    blob_key: string;
    sha256: string;
    size: number;
    install_size: number;
    file_count: number;
    /** `{identifier, version, version_epoch?, files}` as JSON. */
    manifest: string;
    manifest_sha256: string;
    manifest_size: number;
    published_by: string;
    published_at_ms: number;
    downloads: number;
  };
  /** Archives that are stored but not listed yet. Listing deletes the row; removing marks it as given up first. */
  registry_uploads: {
    blob_key: string;
    since_ms: number;
    is_given_up: Generated<number>;
  };
  /** One row. */
  registry_state: {
    id: number;
    /** Grows with every change of what is served: packages, keys, a renewed statement. */
    revision: number;
    /** Grows when packages.json changes; the next two when their files change. They are never larger than this one. */
    update_timestamp: number;
    resources_timestamp: number;
    manifests_timestamp: number;
    /** When the statement of this revision was issued, in seconds, so that all instances sign the same. */
    issued_at_s: number;
    /** What packages.json depends on besides the rows, such as the address of this registry. */
    edges: string;
  };
  registry_keys: {
    id: string;
    public_key: string;
    private_key: string;
    state: "current" | "next" | "retired";
    created_at_ms: number;
    retired_at_ms: number | null;
  };
};

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

/** Forward only; never change a released migration. */
export const migrations: readonly Migration[] = [
  {
    name: "registry-0001-packages",
    async up(transaction, engine) {
      for (const text of tables(engine)) await sql.raw(text).execute(transaction);
    },
  },
];
