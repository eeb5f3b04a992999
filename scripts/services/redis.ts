import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepComposed } from "./composed.ts";
import { findOrInstall, redis } from "./find-or-install.ts";
import { freePort } from "./free-port.ts";
import { type Kept, keep } from "./kept.ts";
import { connectTimeoutMs } from "./limits.ts";
import { withProgress } from "./progress.ts";
import { startRelay } from "./relay.ts";
import { createService, type Service } from "./service.ts";

/** A new, empty Redis (or Valkey) server without persistence; with TEST_REDIS_URL, a relay to that server. */
export async function startRedis(options: { port?: number } = {}): Promise<Service> {
  const found = await findOrInstall(redis);
  if (found.from === "variable") return startRelay(found.value, 6379, options.port);
  return withProgress("Starting Redis", async () => {
    const port = options.port ?? (await freePort());
    const composed = found.from === "compose";
    const service = createService({
      name: "Redis",
      url: `redis://127.0.0.1:${port}`,
      port,
      kept: composed ? keepComposed(found.service, port) : keepLocal(found.path, port),
      stopSignal: "SIGTERM",
      ...(composed ? { killSignal: "SIGTERM" } : {}),
      ping: () => pingRedis(port),
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

function keepLocal(command: string, port: number): Kept {
  const folder = mkdtempSync(join(tmpdir(), "backplane-redis-"));
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"];
  return keep({ command, args, folder, endSignal: "SIGTERM" });
}

/** The protocol's inline form: six bytes out, `+PONG` back. */
async function pingRedis(port: number): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(connectTimeoutMs) });
    socket.write("PING\r\n");
    const [answer] = await once(socket, "data", { signal: AbortSignal.timeout(connectTimeoutMs) });
    if (!String(answer).startsWith("+PONG")) throw new Error(`Redis answered ${String(answer).trim()}.`);
  } finally {
    socket.destroy();
  }
}
