import type { Migration } from "@backplane/kit/database";
import { sql } from "kysely";
import { KEYS_TABLE } from "./mqtt/keys-table.ts";

/** Only add to this list; never change a released migration. */
export const migrations: readonly Migration[] = [
  {
    name: "devices-0001-devices",
    async up(transaction, engine) {
      const isPostgres = engine === "postgres";
      const counted = isPostgres ? "bigserial primary key" : "integer primary key autoincrement";
      const number = isPostgres ? "double precision" : "real";
      const texts = [
        ...KEYS_TABLE,
        `create table devices_stops (
          workspace_id text primary key, stopped_by text not null, at_ms bigint not null)`,
        `create table devices_settings (
          workspace_id text not null, device text not null, settings text not null,
          primary key (workspace_id, device))`,
        `create table devices_channels (
          id ${counted}, workspace_id text not null, device text not null, capability text not null, field text not null)`,
        "create unique index devices_channels_by_name on devices_channels (workspace_id, device, capability, field)",
        `create table devices_buckets (
          channel bigint not null references devices_channels (id) on delete cascade,
          size_s integer not null, at_s bigint not null,
          min ${number} not null, max ${number} not null, sum ${number} not null, n bigint not null,
          last ${number} not null, primary key (channel, size_s, at_s))${isPostgres ? "" : " without rowid"}`,
        "create index devices_buckets_by_age on devices_buckets (size_s, at_s)",
      ];
      for (const text of texts) await sql.raw(text).execute(transaction);
    },
  },
  {
    name: "devices-0002-recordings",
    async up(transaction) {
      const texts = [
        `create table devices_recordings (
          id text primary key, workspace_id text not null, name text not null, state text not null,
          recorded_by text not null, start_ms bigint not null, end_ms bigint not null, bytes bigint not null,
          summary text not null, reason text)`,
        "create index devices_recordings_by_workspace on devices_recordings (workspace_id, start_ms)",
      ];
      for (const text of texts) await sql.raw(text).execute(transaction);
    },
  },
  {
    name: "devices-0003-sources",
    async up(transaction) {
      const text = `create table devices_sources (
        workspace_id text not null, name text not null, kind text not null, settings text not null,
        created_at_ms bigint not null, primary key (workspace_id, name))`;
      await sql.raw(text).execute(transaction);
    },
  },
  {
    name: "devices-0004-streams",
    async up(transaction) {
      const text = `create table devices_streams (
        workspace_id text not null, name text not null, kind text not null, settings text not null,
        secrets text not null, created_at_ms bigint not null, primary key (workspace_id, name))`;
      await sql.raw(text).execute(transaction);
    },
  },
];
