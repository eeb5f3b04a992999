import { createServer, type Server, type Socket } from "node:net";
import { DEVICES_LIMITS } from "@backplane/contract/devices";

export type Listener = {
  /** Tries to listen, unless it does. */
  start(): Promise<void>;
  port(): number | undefined;
  /** Why it does not listen although it should. */
  fault(): string | undefined;
  close(): Promise<void>;
};

/** A port that is taken may be free again later. */
const RETRY_MS = 10_000;

/** Both what is read ahead and what is not sent yet; see `authorizeForward` in embedded.ts, which closes before it is full. */
const BUFFER_BYTES = 4 * DEVICES_LIMITS.maxUnreadBytes;
const TCP_KEEP_ALIVE_MS = 15_000;

/** The MQTT port. That it is taken keeps nothing else from starting. */
export function createListener({
  host,
  port,
  onSocket,
}: {
  host: string;
  port: number;
  onSocket: (socket: Socket) => void;
}): Listener {
  let server: Server | undefined;
  let fault: string | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  let starting: Promise<void> | undefined;

  function listen(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const created = createServer(
      { highWaterMark: BUFFER_BYTES, noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS },
      onSocket,
    );
    created.maxConnections = DEVICES_LIMITS.maxConnections + DEVICES_LIMITS.maxUnadmitted;
    created.once("error", (error: NodeJS.ErrnoException) => {
      fault = faultOf(error, host, port);
      if (!isClosed) retry = setTimeout(() => void start(), RETRY_MS).unref();
      resolve();
    });
    created.listen({ host, port }, () => {
      fault = undefined;
      if (isClosed) created.close();
      else server = created;
      // Later faults, such as too few file descriptors, concern single connections.
      created.removeAllListeners("error").on("error", () => {});
      resolve();
    });
    return promise;
  }
  async function start(): Promise<void> {
    if (server || isClosed) return;
    clearTimeout(retry);
    starting ??= listen();
    await starting;
    starting = undefined;
  }

  return {
    start,
    port() {
      const address = server?.address();
      return typeof address === "object" ? address?.port : undefined;
    },
    fault: () => fault,
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await starting;
      if (!server) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      await promise;
    },
  };
}

function faultOf({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  const why =
    code === "EADDRINUSE"
      ? "another program uses it"
      : code === "EACCES"
        ? "this program may not use it"
        : `it cannot be used (${code ?? message})`;
  return `Devices cannot connect by MQTT at ${host}:${port}: ${why}. Stop that program, or set MQTT_PORT to another port.`;
}
