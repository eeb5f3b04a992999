import type { Database, Migration } from "@backplane/kit/database";
import { sql } from "kysely";

/** The text of the tables is the same for both engines, except for the type of an auto-incremented column. */
const countedOn = (engine: Database<unknown>["engine"]): string =>
  engine === "postgres" ? "bigserial primary key" : "integer primary key autoincrement";

const tables = (engine: Database<unknown>["engine"]): string[] => {
  const counted = countedOn(engine);
  return [
    `create table panels_workspaces (
      id text primary key, owner_id text not null, repo text not null, repo_key text not null,
      revision bigint not null, layout text not null, tab_count integer not null default 0,
      created_at_ms bigint not null, updated_at_ms bigint not null)`,
    "create unique index panels_workspaces_by_name on panels_workspaces (owner_id, repo_key)",
    `create table panels_undo (
      workspace_id text not null references panels_workspaces (id) on delete cascade,
      revision bigint not null, layout text not null, primary key (workspace_id, revision))`,
    `create table panels_evals (
      seq ${counted}, id text not null,
      workspace_id text not null references panels_workspaces (id) on delete cascade, tab_id text not null,
      code text not null, timeout_ms integer not null, state text not null, result text,
      created_at_ms bigint not null, done_at_ms bigint)`,
    "create unique index panels_evals_by_id on panels_evals (id)",
    "create index panels_evals_by_tab on panels_evals (workspace_id, tab_id, state, seq)",
    "create index panels_evals_by_age on panels_evals (created_at_ms)",
    `create table panels_log (
      id ${counted},
      workspace_id text not null references panels_workspaces (id) on delete cascade,
      at_ms bigint not null, level text not null, source text not null, message text not null)`,
    "create index panels_log_by_workspace on panels_log (workspace_id, id)",
    "create table panels_secrets (id integer primary key, secret text not null)",
  ];
};

const journal = (engine: Database<unknown>["engine"]): string[] => [
  `create table panels_journal (
    seq ${countedOn(engine)}, id text not null,
    workspace_id text not null references panels_workspaces (id) on delete cascade, tab_id text not null,
    generation bigint not null, code text not null, bytes integer not null, ended text not null, at_ms bigint not null)`,
  "create unique index panels_journal_by_id on panels_journal (workspace_id, tab_id, generation, id)",
];

/** Only add to this list; never change a released migration. */
export const migrations: readonly Migration[] = [
  {
    name: "panels-0001-workspaces",
    async up(transaction, engine) {
      for (const text of tables(engine)) await sql.raw(text).execute(transaction);
    },
  },
  {
    name: "panels-0002-usage",
    async up(transaction) {
      await sql`create table panels_usage (
        owner_id text primary key, bytes bigint not null, writing integer not null, changes bigint not null,
        begun_at_ms bigint not null, counted_at_ms bigint not null)`.execute(transaction);
    },
  },
  {
    name: "panels-0003-journal",
    async up(transaction, engine) {
      for (const text of journal(engine)) await sql.raw(text).execute(transaction);
    },
  },
  {
    name: "panels-0004-folders",
    async up(transaction) {
      await sql`alter table panels_workspaces add column folder text`.execute(transaction);
    },
  },
  {
    name: "panels-0005-outlines",
    async up(transaction) {
      await sql`alter table panels_workspaces add column outline text`.execute(transaction);
    },
  },
  {
    name: "panels-0006-shares",
    async up(transaction) {
      await sql`create table panels_shares (
        workspace_id text not null references panels_workspaces (id) on delete cascade,
        user_id text not null, accepted_at_ms bigint, created_at_ms bigint not null,
        primary key (workspace_id, user_id))`.execute(transaction);
      await sql`create index panels_shares_by_person on panels_shares (user_id, created_at_ms)`.execute(transaction);
    },
  },
  {
    name: "panels-0007-lessons",
    async up(transaction) {
      await sql`create table panels_lessons (
        workspace_id text not null references panels_workspaces (id) on delete cascade,
        user_id text not null, path text not null, step text not null, check_text text not null,
        because text not null, done_at_ms bigint not null,
        primary key (workspace_id, user_id, path, step))`.execute(transaction);
      await sql`create index panels_lessons_by_person on panels_lessons (user_id)`.execute(transaction);
    },
  },
  {
    name: "panels-0008-packages",
    async up(transaction, engine) {
      await sql`create table panels_packages (
        workspace_id text not null references panels_workspaces (id) on delete cascade,
        identifier text not null, version text not null, sha256 text not null, panel text not null,
        allowed_by text not null, allowed_at_ms bigint not null,
        primary key (workspace_id, identifier))`.execute(transaction);
      const bytes = sql.raw(engine === "postgres" ? "bytea" : "blob");
      await sql`create table panels_drafts (
        workspace_id text not null references panels_workspaces (id) on delete cascade,
        identifier text not null, version text not null, sha256 text not null, panel text not null,
        archive ${bytes} not null, sent_by text not null, sent_at_ms bigint not null,
        allowed_by text, allowed_at_ms bigint, allowed_wants text,
        primary key (workspace_id, identifier))`.execute(transaction);
    },
  },
  {
    name: "panels-0009-chosen-devices",
    async up(transaction) {
      for (const table of ["panels_packages", "panels_drafts"]) {
        for (const column of ["devices text", "devices_by text", "devices_at_ms bigint"])
          await sql`alter table ${sql.raw(table)} add column ${sql.raw(column)}`.execute(transaction);
      }
    },
  },
];
