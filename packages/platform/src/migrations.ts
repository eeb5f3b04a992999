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
];
