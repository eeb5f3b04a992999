import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { redis } from "./find-or-install.ts";
import { type Kept, keep } from "./kept.ts";
import { connectTimeoutMs } from "./limits.ts";
import type { Service } from "./service.ts";
import { startService } from "./start-service.ts";

/** A new, empty Redis (or Valkey) server without persistence; with TEST_REDIS_URL, a relay to that server. */
export const startRedis = (options?: { port?: number }): Promise<Service> =>
  startService(
    {
      tool: redis,
      urlOf: (port) => `redis://127.0.0.1:${port}`,
      usualPort: 6379,
      stopSignal: "SIGTERM",
      keepLocal,
      ping: pingRedis,
    },
    options,
  );

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
