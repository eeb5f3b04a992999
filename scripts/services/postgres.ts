import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { keepComposed } from "./composed.ts";
import { findOrInstall, postgres } from "./find-or-install.ts";
import { freePort } from "./free-port.ts";
import { type Kept, keep } from "./kept.ts";
import { connectTimeoutMs } from "./limits.ts";
import { withProgress } from "./progress.ts";
import { startRelay } from "./relay.ts";
import { giveTo, unprivilegedUser } from "./run-as.ts";
import { createService, type Service } from "./service.ts";

const encoding = ["--encoding=UTF8", "--locale=C"];

/** A new, empty PostgreSQL server on loopback; with TEST_DATABASE_URL, a relay to that server. */
export async function startPostgres(options: { port?: number } = {}): Promise<Service> {
  const found = await findOrInstall(postgres);
  if (found.from === "variable") return startRelay(found.value, 5432, options.port);
  return withProgress("Starting PostgreSQL", async () => {
    const port = options.port ?? (await freePort());
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const composed = found.from === "compose";
    const kept = composed ? keepComposed(found.service, port) : keepLocal(dirname(found.path), port);
    const service = createService({
      name: "PostgreSQL",
      url,
      port,
      kept,
      // SIGINT is its fast shutdown; SIGTERM would wait for every client to leave.
      stopSignal: composed ? "SIGTERM" : "SIGINT",
      ...(composed ? { killSignal: "SIGTERM" } : {}),
      ping: () => pingPostgres(url),
    });
    try {
      await service.start();
      return service;
    } catch (error) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
  });
}

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
