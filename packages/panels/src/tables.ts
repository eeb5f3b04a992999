import type { Database, Migration } from "@backplane/kit/database";
import { type Generated, sql } from "kysely";

/** Every table of the area. Times are epoch milliseconds. */
export type PanelsTables = {
  panels_workspaces: {
    id: string;
    /** A person's or an organisation's id. */
    owner_id: string;
    repo: string;
    /** In lower case: names that differ only in case would share one folder. */
    repo_key: string;
    revision: number;
    /** The root node as JSON. */
    layout: string;
    /** For lists, so that they need not read the layout. */
    tab_count: Generated<number>;
    created_at_ms: number;
    updated_at_ms: number;
  };
  /** What undo needs: `Remembered` as JSON. */
  panels_undo: { workspace_id: string; revision: number; layout: string };
  /** Code that waits, or waited, for a browser. */
  panels_evals: {
    id: string;
    /** The order in which it was sent. */
    seq: Generated<number>;
    workspace_id: string;
    tab_id: string;
    /** As JSON; empty once it has run. */
    code: string;
    timeout_ms: number;
    state: "queued" | "taken" | "done";
    /** An `EvalResult` as JSON. */
    result: string | null;
    created_at_ms: number;
    done_at_ms: number | null;
  };
  panels_log: {
    id: Generated<number>;
    workspace_id: string;
    at_ms: number;
    level: string;
    source: string;
    message: string;
  };
  /** One row: the key that signs passes to the frames of proxied sites. */
  panels_secrets: { id: number; secret: string };
};

/** The same text for both engines, except for the type of an auto-incremented column. */
const tables = (engine: Database<unknown>["engine"]): string[] => {
  const counted = engine === "postgres" ? "bigserial primary key" : "integer primary key autoincrement";
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

/** Forwards only; never change one that was released. */
export const migrations: readonly Migration[] = [
  {
    name: "panels-0001-workspaces",
    async up(transaction, engine) {
      for (const text of tables(engine)) await sql.raw(text).execute(transaction);
    },
  },
];
