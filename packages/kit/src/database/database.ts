import { type Kysely, sql } from "kysely";

export type Engine = "sqlite" | "postgres";

/**
 * One set of tables, on SQLite or PostgreSQL. The laws hold on both; `database.suite.ts` checks them.
 *
 * - A statement that matches a row by its current value and changes it (`update … where state = 'open'`) has one winner:
 *   of any number of concurrent ones exactly one reports a changed row.
 * - A transaction happens completely or not at all, also when the process is killed.
 * - While the server is away, queries fail within seconds as Problem "database-unavailable", and work again when it is back.
 * - Integers up to 2^53 come back as numbers, bytes as Uint8Array, rows as plain objects.
 */
export type Database<Schema> = {
  readonly engine: Engine;
  /** For rows that must not be lost: when a commit has resolved, it is on the disk. */
  readonly durable: Kysely<Schema>;
  /** For rows that live for minutes: a killed process loses none, a power cut may lose the last ones. Several times cheaper. */
  readonly shortLived: Kysely<Schema>;
  /** Resolves when the engine answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

type Handles<Schema> = Pick<Database<Schema>, "engine" | "durable" | "shortLived"> & { afterClose?: () => void };

/** What both engines do in the same way with their two handles. */
export function databaseOver<Schema>({ engine, durable, shortLived, afterClose }: Handles<Schema>): Database<Schema> {
  return {
    engine,
    durable,
    shortLived,
    async ping() {
      await sql`select 1`.execute(shortLived);
    },
    async close() {
      await Promise.all([durable.destroy(), shortLived.destroy()]);
      afterClose?.();
    },
  };
}

/** True when a statement failed because a unique key is taken. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === POSTGRES_UNIQUE_VIOLATION || SQLITE_UNIQUE_VIOLATIONS.has(errcode);
}

const POSTGRES_UNIQUE_VIOLATION = "23505";
/** SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY. */
const SQLITE_UNIQUE_VIOLATIONS: ReadonlySet<unknown> = new Set([2067, 1555]);
