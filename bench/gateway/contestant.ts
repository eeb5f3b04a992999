import { type RunningServer, type ServerOptions, startServer } from "../harness/server.ts";
import type { DialectName } from "./load/dialect.ts";

/** A gateway, ours or a peer: one server, or several that share a Redis. */
export type Contestant = {
  label: string;
  dialect: DialectName;
  servers: readonly ServerOptions[];
};

export type RunningContestant = {
  label: string;
  dialect: DialectName;
  ports: readonly number[];
  /** Processes of all its servers and their children. */
  pids(): number[];
  /** The same, one list per server. */
  pidsByServer(): number[][];
  [Symbol.asyncDispose](): Promise<void>;
};

export async function startContestant({ label, dialect, servers }: Contestant): Promise<RunningContestant> {
  await using starting = new AsyncDisposableStack();
  const running: RunningServer[] = [];
  for (const options of servers) running.push(starting.use(await startServer(options)));
  const started = starting.move();
  const pidsByServer = () => running.map((server) => server.pids());
  return {
    label,
    dialect,
    ports: running.map(({ port }) => port),
    pids: () => pidsByServer().flat(),
    pidsByServer,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
