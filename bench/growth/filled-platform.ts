import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { allMigrations } from "../../packages/platform/src/all-migrations.ts";
import { cpuSeconds } from "../harness/cpu-seconds.ts";
import { BenchFault } from "../harness/fault.ts";
import { type RunningServer, startServer } from "../harness/server.ts";
import { platform } from "../intents/contestants.ts";
import { signIn } from "../intents/sign-in.ts";
import { callerOf } from "../panels/stage.ts";

const READY_WITHIN_MS = 120_000;

export type Filled = AsyncDisposable & {
  server: RunningServer;
  /** CPU time until it was ready. */
  readyS: number;
  /** Of the owner's session. */
  cookie: string;
  /** As the owner; throws unless it succeeds. */
  get(path: string): Promise<unknown>;
  send(method: string, path: string, body: object): Promise<Record<string, unknown>>;
};

/** The platform process on tables that were filled before it started. */
export async function startFilled<Tables>(fill: (database: Database<Tables>) => Promise<void>): Promise<Filled> {
  await using stack = new AsyncDisposableStack();
  const home = mkdtempSync(join(tmpdir(), "backplane-growth-"));
  stack.defer(() => rmSync(home, { recursive: true, force: true }));
  const database = await openDatabase<Tables>({ url: undefined, home, onLostConnection: () => {} });
  try {
    await migrate(database as Database<unknown>, allMigrations, Date.now);
    await fill(database);
  } finally {
    await database.close();
  }
  const options = platform("platform");
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
  const kept = stack.move();
  return {
    ...{ server, readyS, cookie, send },
    get: (path) => send("GET", path),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
