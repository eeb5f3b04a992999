import { sql } from "kysely";
import type { Migration } from "../database/index.ts";

/** Only add to this list; never change a released migration. */
export const migrations: readonly Migration[] = [
  {
    name: "platform-0001-instances",
    async up(transaction) {
      await sql`create table instances (
        id text primary key, name text not null, bus text not null, archives text not null,
        clock_offset_ms bigint not null, seen_at_ms bigint not null)`.execute(transaction);
    },
  },
  {
    // Null for a platform of an earlier version that still runs.
    name: "platform-0003-instance-vitals",
    async up(transaction) {
      for (const column of ["version text", "started_at_ms bigint", "connected bigint", "memory_bytes bigint"]) {
        await sql.raw(`alter table instances add column ${column}`).execute(transaction);
      }
    },
  },
  {
    name: "platform-0006-instance-answers",
    async up(transaction) {
      await sql`alter table instances add column answers_ms text`.execute(transaction);
    },
  },
];
