import type { Readable, Writable } from "node:stream";
import type { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ViewerAccess } from "../services.ts";
import { MCP_LIMITS, type McpLimits } from "./limits.ts";
import { mcpServers, watchPastes } from "./server.ts";

export type StdioHost = {
  stdin: Readable;
  stdout: Writable;
  /** Where faults are written; standard output belongs to the protocol. */
  stderr?: Writable;
  signal: AbortSignal;
  limits?: Partial<McpLimits>;
};

/** Serves one client over standard input and output, until it closes its end or the signal aborts. */
export async function serveMcpOverStdio(access: ViewerAccess, host: StdioHost): Promise<void> {
  const { stdin, stdout, stderr, signal } = host;
  const logError = (error: unknown) => stderr?.write(`${error instanceof Error ? error.message : String(error)}\n`);
  const ended = new AbortController();
  const closing = AbortSignal.any([signal, ended.signal]);
  const createServer = mcpServers({
    access,
    transport: "stdio",
    log: { error: ({ err }: { err: unknown }) => logError(err) },
    closing,
    limits: host.limits ?? {},
  });
  let server: McpServer | undefined;
  const served = serveStdio(
    (context) => {
      server = createServer(context);
      return server;
    },
    {
      transport: new StdioServerTransport(stdin, stdout, { maxBufferSize: MCP_LIMITS.maxBodyBytes }),
      maxSubscriptions: MCP_LIMITS.maxSubscriptions,
      onerror: logError,
    },
  );
  for (const event of ["end", "close"]) stdin.once(event, () => ended.abort());
  await watchPastes(access, () => server?.sendResourceListChanged(), closing);
  await served.close();
}
