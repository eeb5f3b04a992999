import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { postgres } from "./find-or-install.ts";
import { type Kept, keep } from "./kept.ts";
import { connectTimeoutMs } from "./limits.ts";
import { giveTo, unprivilegedUser } from "./run-as.ts";
import type { Service } from "./service.ts";
import { startService } from "./start-service.ts";

const encoding = ["--encoding=UTF8", "--locale=C"];

/** A new, empty PostgreSQL server on loopback; with TEST_DATABASE_URL, a relay to that server. */
export const startPostgres = (options?: { port?: number }): Promise<Service> =>
  startService(
    {
      tool: postgres,
      urlOf,
      usualPort: 5432,
      // Its fast shutdown; SIGTERM would wait for every client to leave.
      stopSignal: "SIGINT",
      keepLocal: (initdb, port) => keepLocal(dirname(initdb), port),
      ping: (port) => pingPostgres(urlOf(port)),
    },
    options,
  );

const urlOf = (port: number): string => `postgres://postgres@127.0.0.1:${port}/postgres`;

function keepLocal(programs: string, port: number): Kept {
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), "backplane-postgres-"));
  giveTo(user, folder);
  const data = join(folder, "data");
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    max_connections: 200,
    // No test cuts the machine's power; a killed server still has what it committed, from the system's cache.
    fsync: "off",
    full_page_writes: "off",
    // Files in the data folder, which go with it; the default leaves some in /dev/shm after a kill.
    dynamic_shared_memory_type: "mmap",
  };
  return keep({
    prepare: [join(programs, "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "--no-sync", ...encoding],
    command: join(programs, "postgres"),
    args: ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    folder,
    env: { LC_ALL: "C" },
    user,
    endSignal: "SIGINT",
  });
}

async function pingPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("select 1");
  } finally {
    await client.end().catch(() => {});
  }
}
