import { type Compilable, type Kysely, type QueryResult, type RawBuilder, type SqlBool, sql } from "kysely";

export type Engine = "sqlite" | "postgres";

/**
 * One set of tables, on SQLite or PostgreSQL. The laws hold on both; `database.suite.ts` checks them.
 *
 * - A statement that matches a row by its current value and changes it (`update … where state = 'open'`) has one winner:
 *   of any number of concurrent ones exactly one reports a changed row.
 * - A transaction happens completely or not at all, also when the process is killed. So does a batch.
 * - While the server is away, queries fail within seconds as Problem "database-unavailable", and work again when it is back.
 * - Integers up to 2^53 come back as numbers, bytes as Uint8Array, rows as plain objects.
 */
export type Database<Schema> = {
  readonly engine: Engine;
  /** For rows that must not be lost: when a commit has resolved, it is on the disk. */
  readonly durable: Kysely<Schema>;
  /** For rows that live for minutes: a killed process loses none, a power cut may lose the last ones. Several times cheaper. */
  readonly shortLived: Kysely<Schema>;
  /**
   * A durable transaction in one round trip, so that its locks never wait for the network: each statement sees what those
   * before it did. What should happen only sometimes is a condition of its statement.
   */
  batch<const Statements extends readonly Compilable[]>(statements: Statements): Promise<BatchResults<Statements>>;
  /** Resolves when the engine answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

export type BatchResults<Statements extends readonly Compilable[]> = {
  -readonly [Place in keyof Statements]: QueryResult<Statements[Place] extends Compilable<infer Row> ? Row : unknown>;
};

/** What must hold for a batch: until its end nothing else can change it. */
export type BatchGuard = {
  /** The first statements of the batch. */
  statements: Compilable[];
  /** A condition for the other ones. */
  holds: RawBuilder<SqlBool>;
  /** Throws the problem unless it held: pass the results of the batch. */
  check(results: readonly QueryResult<unknown>[]): void;
};

type Handles<Schema> = Pick<Database<Schema>, "engine" | "durable" | "shortLived"> & {
  batch(statements: readonly Compilable[]): Promise<QueryResult<unknown>[]>;
  afterClose?: () => void;
};

/** What both engines do in the same way with their two handles. */
export function databaseOver<Schema>({ afterClose, ...handles }: Handles<Schema>): Database<Schema> {
  const { durable, shortLived } = handles;
  return {
    ...handles,
    batch: handles.batch as Database<Schema>["batch"],
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
