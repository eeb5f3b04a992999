import { setTimeout as sleep } from "node:timers/promises";
import {
  type Compilable,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type QueryResult,
} from "kysely";
import pg from "pg";
import { Problem } from "../problems.ts";
import { type Database, databaseOver } from "./database.ts";

/** Connections per process, unless a setting says otherwise. */
const CONNECTIONS = 12;
/** The share of them for durable rows. */
const DURABLE_SHARE = 2 / 3;
/** How long a query waits for a connection, new or free. A machine that is very busy needs seconds for a new one. */
const CONNECT_TIMEOUT_MS = 5_000;
/** A server that starts at the same time may take a moment. */
const START_ATTEMPTS = 5;
const START_PAUSE_MS = 1_000;
const QUERY_TIMEOUT_MS = 15_000;
/** The server ends slow queries itself; if it has not by then, the server is gone. */
const SILENCE_TIMEOUT_MS = QUERY_TIMEOUT_MS + 2_000;
const IDLE_TIMEOUT_MS = 30_000;

const INT8 = 20;
/** SQLSTATE disk_full. */
const DISK_FULL = "53100";

/** Called when the server ends a connection outside of a query; its user finds out with the next query. */
export type OnLostConnection = (error: Error) => void;

export type PoolOptions = {
  /** At most. */
  connections?: number | undefined;
  /** Meanwhile, a server that does not answer is asked again for a while. */
  isStarting?: (() => boolean) | undefined;
};

export function openPostgres<Schema>(
  url: string,
  onLostConnection: OnLostConnection,
  { connections = CONNECTIONS, isStarting = () => false }: PoolOptions = {},
): Database<Schema> {
  const open = (max: number, extra: pg.PoolConfig) => guard(connect(url, max, extra, onLostConnection), isStarting);
  const forDurable = Math.ceil(connections * DURABLE_SHARE);
  const pool = open(forDurable, {});
  // The server answers a commit before it is on the disk; the table stays consistent whatever happens.
  const relaxed = { options: "-c synchronous_commit=off" };
  const relaxedPool = open(connections - forDurable, relaxed);
  return databaseOver({
    engine: "postgres",
    durable: new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }),
    shortLived: new Kysely<Schema>({ dialect: new PostgresDialect({ pool: relaxedPool }) }),
    batch: (statements) => runBatch(pool, statements),
  });
}

/** All statements are on their way before the first answer is back. After an error, those behind it do nothing. */
async function runBatch(pool: PostgresPool, statements: readonly Compilable[]): Promise<QueryResult<unknown>[]> {
  const queries = statements.map((statement) => statement.compile());
  const client = await pool.connect();
  try {
    const answers = await Promise.allSettled([
      client.query("begin", []),
      ...queries.map(({ sql, parameters }) => client.query(sql, parameters)),
      client.query("commit", []),
    ]);
    return answers
      .map((answer) => {
        if (answer.status === "rejected") throw answer.reason;
        const { rows, rowCount } = answer.value;
        return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
      })
      .slice(1, -1);
  } finally {
    client.release();
  }
}

function connect(url: string, max: number, extra: pg.PoolConfig, onLostConnection: OnLostConnection): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
    statement_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: "backplane",
    types: { getTypeParser: parserOf },
    // For `batch`; everybody else waits for each answer.
    pipeline: true,
    ...extra,
  });
  // Without listeners, a server that goes away would end the process: the pool hears of idle connections only.
  pool.on("error", onLostConnection);
  pool.on("connect", (client) => client.on("error", onLostConnection));
  return pool;
}

/** One connection outside of the pools, for work that takes long. Rows are lists of values. */
export async function connectAlone(url: string) {
  const client = new pg.Client({
    ...{ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true },
    ...{ application_name: "backplane backup", types: { getTypeParser: parserOf } },
  });
  // The next query fails, and says so.
  client.on("error", () => {});
  await client.connect().catch(rethrow);
  return {
    async query(text: string) {
      const { fields, rows } = await client.query<unknown[]>({ text, rowMode: "array" }).catch(rethrow);
      return { columns: fields.map(({ name }) => name), rows };
    },
    end: () => client.end().catch(() => {}),
  };
}

const parserOf: pg.CustomTypesConfig["getTypeParser"] = ((oid: number, format: "text" | "binary") =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text")) as never;

/**
 * Tells "the server is away" from every other failure, as one problem that callers know, and throws away the connection
 * it happened on: after a silence pg would hand it out again, and every later query would wait behind the lost one.
 */
function guard(pool: pg.Pool, isStarting: () => boolean): PostgresPool {
  const guarded = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    async connect() {
      const client = await takeFrom(pool, isStarting);
      const known = guarded.get(client) ?? guardClient(client);
      guarded.set(client, known);
      return known;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

async function takeFrom(pool: pg.Pool, isStarting: () => boolean): Promise<pg.PoolClient> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await pool.connect();
    } catch (error) {
      if (!isStarting() || !isUnavailable(error) || attempt === START_ATTEMPTS) rethrow(error);
    }
    await sleep(START_PAUSE_MS);
  }
}

function guardClient(client: pg.PoolClient): PostgresPoolClient {
  const send = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  let isBroken = false;
  const query = async (...args: unknown[]) => {
    try {
      return await send(...args);
    } catch (error) {
      isBroken ||= isUnavailable(error);
      return rethrow(error);
    }
  };
  // A client that is given back as broken is thrown away by the pool and never comes here again.
  return { query: query as never, release: () => client.release(isBroken) };
}

function rethrow(error: unknown): never {
  if ((error as { code?: unknown }).code === DISK_FULL) {
    const detail = "The disk of the PostgreSQL server is full. It works again when the operator has freed some space.";
    throw new Problem("disk-full", { detail, cause: error });
  }
  throw isUnavailable(error) ? new Problem("database-unavailable", { cause: error }) : error;
}

/**
 * SQLSTATE classes 08 (connection), 53 (resources), 57P0x (shutdown, starting up), 57014 (the server ended a query that
 * took too long), or no SQLSTATE at all: the socket failed.
 */
function isUnavailable(error: unknown): boolean {
  const { code, message = "" } = error as { code?: unknown; message?: string };
  if (typeof code !== "string") return /connection|timeout/i.test(message);
  return /^(08|53)...$|^57(P0[123]|014)$/.test(code) || /^E[A-Z_]+$/.test(code);
}
