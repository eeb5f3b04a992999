import type { Migration } from "@backplane/kit/database";
import { sql } from "kysely";

/** Only add to this list; never change a released migration. */
export const migrations: readonly Migration[] = [
  {
    name: "platform-0002-overview",
    async up(transaction) {
      await sql`create table activity (
        minute_ms bigint not null, kind text not null, done bigint not null, failed bigint not null,
        primary key (minute_ms, kind))`.execute(transaction);
      await sql`create table first_steps (
        user_id text not null references users (id) on delete cascade,
        step text not null, at_ms bigint not null,
        primary key (user_id, step))`.execute(transaction);
    },
  },
  {
    name: "platform-0003-backups",
    async up(transaction) {
      await sql`create table backups (
        id text primary key, state text not null, place text not null, is_scheduled integer not null,
        started_at_ms bigint not null, seen_at_ms bigint not null, finished_at_ms bigint, moment_ms bigint,
        bytes bigint, step text not null, holder text not null, error text)`.execute(transaction);
      // The database enforces that one runs at a time: of several instances that start one together, one wins.
      await sql`create unique index backups_one_running on backups (state) where state = 'running'`.execute(
        transaction,
      );
      await sql`create index backups_by_start on backups (started_at_ms)`.execute(transaction);
    },
  },
  {
    name: "platform-0004-latest",
    async up(transaction) {
      await sql`create table latest (
        id text primary key, at_ms bigint not null,
        user_id text not null references users (id) on delete cascade,
        kind text not null, what text not null)`.execute(transaction);
      await sql`create index latest_by_time on latest (at_ms)`.execute(transaction);
    },
  },
  {
    name: "platform-0005-system-hours",
    async up(transaction) {
      await sql`create table system_hours (
        hour_ms bigint primary key, slowest_us bigint not null,
        database_bytes bigint not null, archive_bytes bigint not null, file_bytes bigint not null)`.execute(
        transaction,
      );
    },
  },
];
