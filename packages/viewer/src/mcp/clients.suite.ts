import { PassThrough } from "node:stream";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { isLongRun } from "../../../../scripts/testing/long.ts";
import type { ViewerAccess } from "../services.ts";
import { serveMcp } from "./http.ts";
import type { McpLimits } from "./limits.ts";
import { serveMcpOverStdio } from "./stdio.ts";

export type Era = "modern" | "legacy";
export type TransportKind = "http" | "stdio";

/** In a long run, each transport with each era. The other two pairs are in e2e/viewer-mcp-eras.long.test.ts. */
export const WAYS: readonly (readonly [TransportKind, Era])[] = [
  ["http", "legacy"],
  ["stdio", "modern"],
  ...(isLongRun
    ? ([
        ["http", "modern"],
        ["stdio", "legacy"],
      ] as const)
    : []),
];

/** `hangUp`: the client disconnects in the middle of a call. */
export type Connected = AsyncDisposable & { client: Client; hangUp(): Promise<void> };
export type Connecting = { limits?: Partial<McpLimits>; client?: ClientOptions; prepare?: (client: Client) => void };

/** A real client and a real server, over HTTP on this machine or over a pair of pipes. */
export async function connect(
  access: ViewerAccess,
  kind: TransportKind,
  era: Era,
  { limits = {}, client: options = {}, prepare }: Connecting = {},
): Promise<Connected> {
  const mode = era === "modern" ? "auto" : "legacy";
  const client = new Client({ name: "test", version: "1" }, { ...options, versionNegotiation: { mode } });
  prepare?.(client);
  const server = await (kind === "http" ? overHttp : overPipes)(access, limits);
  await client.connect(server.transport);
  return {
    client,
    async hangUp() {
      server.hangUp();
      await client.close();
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
    },
  };
}

async function overHttp(access: ViewerAccess, limits: Partial<McpLimits>) {
  const { app, url } = await listen(access, limits);
  const transport = new StreamableHTTPClientTransport(new URL(url));
  // Closing the client closes its connections.
  return { transport, hangUp: () => undefined, close: () => app.close() };
}

export async function listen(access: ViewerAccess, limits: Partial<McpLimits> = {}) {
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: process.stderr }),
    metrics: createMetrics("test"),
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: false,
  });
  serveMcp(app, access, limits);
  const url = `${await app.listen({ host: "127.0.0.1", port: 0 })}/mcp`;
  return { app, url };
}

async function overPipes(access: ViewerAccess, limits: Partial<McpLimits>) {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const served = serveMcpOverStdio(access, { stdin: toServer, stdout: toClient, signal: stop.signal, limits });
  return {
    // Both ends of the pipe have the same type.
    transport: new StdioServerTransport(toClient, toServer),
    hangUp: () => toServer.end(),
    async close() {
      toServer.end();
      await served;
    },
  };
}
