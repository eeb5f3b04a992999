import { statSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import { makePrivateFile } from "../folder.ts";
import { Problem } from "../problems.ts";
import { fileMissing, systemProblem } from "../system-problems.ts";

/** How long a statement waits for another process that holds the file. */
const BUSY_TIMEOUT_MS = 5_000;
const MAX_PREPARED_STATEMENTS = 500;
/** Queries that wait for the one connection. */
const MAX_WAITING = 10_000;
const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;
/** 32 MiB of log before a checkpoint: a page that changes often is then written to the file once instead of many times. */
const CHECKPOINT_PAGES = 8_192;

/** How often a borrower looks whether the file is still where it was opened. */
const MOVED_CHECK_MS = 250;

/** FULL: a commit is on the disk when it returns. NORMAL: the log is flushed now and then; a power cut may lose the last commits. */
export type Synchronous = "full" | "normal";

type PreparedStatement = { statement: StatementSync; columns: readonly string[]; changesSchema: boolean };

/** The columns of statements that are prepared may be others afterwards. */
const SCHEMA_CHANGE = /^\s*(?:alter|create|drop)\b/i;

/** One connection to one file, lent to one borrower at a time, so that transactions and statements of others never mix. */
export class SqliteFile implements DatabaseConnection {
  readonly #path: string;
  readonly #opened: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, PreparedStatement>();
  readonly #waiting: Array<() => void> = [];
  #lent = false;
  #synchronous: Synchronous = "full";
  #lookedAtMs = 0;

  constructor(path: string) {
    this.#path = path;
    this.#database = orProblem(() => {
      // SQLite gives its log the same permissions.
      makePrivateFile(path);
      return new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    });
    this.run(
      `pragma journal_mode = wal; pragma synchronous = full; pragma trusted_schema = off; ` +
        `pragma journal_size_limit = ${MAX_JOURNAL_BYTES}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES};`,
    );
    this.#opened = identityOf(path);
  }

  /** The borrower chooses how durable a commit is; switching costs less than a microsecond. */
  async borrow(synchronous: Synchronous): Promise<this> {
    this.#refuseMoved();
    if (this.#lent) {
      if (this.#waiting.length >= MAX_WAITING) {
        throw new Problem("database-unavailable", { detail: `${MAX_WAITING} queries already wait.` });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#lent = true;
    if (this.#synchronous !== synchronous) this.#choose(synchronous);
    return this;
  }

  /** SQLite would go on in a file that nobody finds again. The file may come back. */
  #refuseMoved(): void {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs < MOVED_CHECK_MS) return;
    if (identityOf(this.#path) !== this.#opened) throw fileMissing();
    this.#lookedAtMs = nowMs;
  }

  #choose(synchronous: Synchronous): void {
    try {
      this.run(`pragma synchronous = ${synchronous}`);
      this.#synchronous = synchronous;
    } catch (error) {
      // Nobody has borrowed it, so nobody would give it back, and the next borrower would wait forever.
      this.giveBack();
      throw error;
    }
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#lent = false;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#execute(sql, parameters);
  }

  /** One statement that nobody else can come between. Undefined: somebody has borrowed the connection. */
  runAtOnce<Row>(synchronous: Synchronous, sql: string, parameters: readonly unknown[]): QueryResult<Row> | undefined {
    if (this.#lent) return undefined;
    this.#refuseMoved();
    if (this.#synchronous !== synchronous) this.#choose(synchronous);
    return this.#execute(sql, parameters);
  }

  /** All of them or none, without letting anybody else in between. */
  executeAll(queries: readonly CompiledQuery[]): QueryResult<unknown>[] {
    this.run("begin immediate");
    try {
      const results = queries.map(({ sql, parameters }) => this.#execute(sql, parameters));
      this.run("commit");
      return results;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  #execute<Row>(sql: string, parameters: readonly unknown[]): QueryResult<Row> {
    try {
      const { statement, columns, changesSchema } = this.#prepare(sql);
      const values = parameters as SQLInputValue[];
      if (columns.length > 0) {
        const found = statement.all(...values) as unknown as readonly SQLOutputValue[][];
        return { rows: found.map((row) => rowOf<Row>(columns, row)) };
      }
      const { changes } = statement.run(...values);
      if (changesSchema) this.#statements.clear();
      return { rows: [], numAffectedRows: BigInt(changes) };
    } catch (error) {
      throw systemProblem(error) ?? error;
    }
  }

  async *streamQuery<Row>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    // Not from the cache: a statement that is being iterated must not be started again.
    const statement = this.#database.prepare(sql);
    for (const row of statement.iterate(...(parameters as SQLInputValue[]))) yield { rows: [{ ...row } as Row] };
  }

  /** SQLite itself rolls back on some errors, such as a full disk; a second rollback would hide the error. */
  rollback(): void {
    if (this.#database.isTransaction) this.run("rollback");
  }

  run(sql: string): void {
    orProblem(() => this.#database.exec(sql));
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string) {
    const known = this.#statements.get(sql);
    if (known) return known;
    // Queries are built by code, so there are few texts; if there are many, starting over is cheap.
    if (this.#statements.size >= MAX_PREPARED_STATEMENTS) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    const columns = statement.columns().map(({ name }) => name);
    // Rows as objects have no prototype and are slow: to copy one costs half of what SQLite takes to find it.
    statement.setReturnArrays(true);
    const prepared = { statement, columns, changesSchema: SCHEMA_CHANGE.test(sql) };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

function rowOf<Row>(columns: readonly string[], values: readonly SQLOutputValue[]): Row {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < columns.length; at += 1) row[columns[at] as string] = values[at];
  return row as Row;
}

/** Errors about the file or its disk are problems that callers know. */
function orProblem<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw systemProblem(error) ?? error;
  }
}

/** Of the file itself, whatever its name. */
function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : "";
}
