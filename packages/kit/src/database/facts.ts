import { sql } from "kysely";
import type { Database } from "./database.ts";

/** What people who run it want to know about a database. */
export type DatabaseFacts = {
  version: string;
  bytes: number;
  /** How many migrations ran. */
  migrations: number;
  /** PostgreSQL only: of all programs that use the server. */
  connections?: { count: number; max: number };
};

export async function readDatabaseFacts({ engine, shortLived }: Database<unknown>): Promise<DatabaseFacts> {
  const query = engine === "sqlite" ? OF_SQLITE : OF_POSTGRES;
  const { rows } = await query.execute(shortLived);
  const { version, bytes, migrations, connections, max } = rows[0] as Row;
  return { version, bytes, migrations, ...(engine === "sqlite" ? {} : { connections: { count: connections, max } }) };
}

type Row = { version: string; bytes: number; migrations: number; connections: number; max: number };

const MIGRATIONS = sql`(select count(*) from migrations) as migrations`;

const OF_SQLITE = sql<Row>`select sqlite_version() as version, ${MIGRATIONS},
  (select page_count from pragma_page_count()) * (select page_size from pragma_page_size()) as bytes`;

const OF_POSTGRES = sql<Row>`select split_part(current_setting('server_version'), ' ', 1) as version, ${MIGRATIONS},
  pg_database_size(current_database()) as bytes,
  (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
  current_setting('max_connections')::int as max`;
