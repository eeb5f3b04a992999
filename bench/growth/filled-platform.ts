import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { sql } from "kysely";
import { allMigrations } from "../../packages/platform/src/all-migrations.ts";
import { createTestDatabase, startPostgres } from "../../scripts/services/index.ts";
import { cpuSeconds } from "../harness/cpu-seconds.ts";
import { BenchFault } from "../harness/fault.ts";
import { memoryBytes } from "../harness/memory.ts";
import { processTree } from "../harness/process-tree.ts";
import { type RunningServer, startServer } from "../harness/server.ts";
import { platform } from "../intents/contestants.ts";
import { signIn } from "../intents/sign-in.ts";
import { callerOf } from "../panels/stage.ts";

const READY_WITHIN_MS = 120_000;

export type Filled = AsyncDisposable & {
  server: RunningServer;
  /** It and its database, which may be a process of its own. */
  both: Pick<RunningServer, "pids">;
  /** What every case measures: CPU time until it was ready, and memory now, without the database. */
  readyS: number;
  memoryMb(): number;
  /** Of the owner's session. */
  cookie: string;
  /** As the owner; throws unless it succeeds. */
  get(path: string): Promise<unknown>;
  send(method: string, path: string, body: object): Promise<Record<string, unknown>>;
};

export type Engine = "SQLite" | "PostgreSQL";

/** The platform process on tables that were filled before it started. */
export async function startFilled<Tables>(
  fill: (database: Database<Tables>) => Promise<void>,
  engine: Engine = "SQLite",
): Promise<Filled> {
  await using stack = new AsyncDisposableStack();
  const home = mkdtempSync(join(tmpdir(), "backplane-growth-"));
  stack.defer(() => rmSync(home, { recursive: true, force: true }));
  const url = engine === "PostgreSQL" ? await newPostgres(stack) : undefined;
  const database = await openDatabase<Tables>({ url, home, onLostConnection: () => {} });
  let postmaster: number | undefined;
  try {
    await migrate(database as Database<unknown>, allMigrations, Date.now);
    await fill(database);
    if (engine === "PostgreSQL") postmaster = await settle(database as Database<unknown>);
  } finally {
    await database.close();
  }
  const options = platform("platform", url);
  const server = stack.use(
    await startServer({
      ...options,
      env: (port) => ({ ...options.env?.(port), BACKPLANE_HOME: home }),
      readyWithinMs: READY_WITHIN_MS,
    }),
  );
  const readyS = cpuSeconds(server.pids());
  const cookie = await signIn(server.url);
  const agent = new Agent({ keepAlive: true });
  stack.defer(() => agent.destroy());
  const call = callerOf(server.url, cookie, agent);
  const send = async (method: string, path: string, body?: object) => {
    const answer = await call(method, path, body);
    if (answer.status >= 300) throw new BenchFault(`${method} ${path} was answered with ${answer.status}.`);
    return answer.body;
  };
  const ofDatabase = () => (postmaster === undefined ? [] : processTree(postmaster).map(({ pid }) => pid));
  const kept = stack.move();
  return {
    ...{ server, readyS, cookie, send },
    both: { pids: () => [...server.pids(), ...ofDatabase()] },
    memoryMb: () => memoryBytes(server.pids()) / 1e6,
    get: (path) => send("GET", path),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function newPostgres(stack: AsyncDisposableStack): Promise<string> {
  const { url: serverUrl } = stack.use(await startPostgres());
  return stack.use(await createTestDatabase({ serverUrl })).url;
}

/** Does now what PostgreSQL would do by itself while the platform is measured. Its first process, which starts the others. */
async function settle({ durable }: Database<unknown>): Promise<number> {
  await sql`vacuum analyze`.execute(durable);
  const { rows } = await sql<{ file: string }>`select pg_read_file('postmaster.pid') as file`.execute(durable);
  return Number.parseInt(rows[0]?.file ?? "", 10);
}
