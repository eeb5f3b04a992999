import type { Log } from "@backplane/kit/log";
import { type NodeMcpRequestHandler, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, localhostAllowedOrigins, validateOriginHeader } from "@modelcontextprotocol/server";
import type { ViewerAccess } from "../services.ts";
import { MCP_LIMITS, type McpLimits } from "./limits.ts";
import { mcpServers, watchPastes } from "./server.ts";

export type MessageHandler = {
  answer: NodeMcpRequestHandler;
  /** Whether a page of this origin is served from this machine. */
  isFromHere: (origin: string) => boolean;
  close(): Promise<void>;
};

type HandlerOptions = { access: ViewerAccess; log: Pick<Log, "error" | "debug">; limits: Partial<McpLimits> };

/** For both eras of the protocol, over HTTP. */
export function createMessageHandler({ access, log, limits }: HandlerOptions): MessageHandler {
  const closing = new AbortController();
  const handler = createMcpHandler(mcpServers({ access, transport: "http", log, closing: closing.signal, limits }), {
    maxSubscriptions: MCP_LIMITS.maxSubscriptions,
    maxRequestBodySize: MCP_LIMITS.maxBodyBytes,
    // Mostly mistakes of callers, who get an error.
    onerror: (error) => log.debug({ err: error }, "MCP"),
  });
  const watching = watchPastes(access, () => handler.notify.resourcesChanged(), closing.signal);
  return {
    answer: toNodeHandler(handler, { maxRequestBodySize: MCP_LIMITS.maxBodyBytes }),
    isFromHere: (origin) => validateOriginHeader(origin, localhostAllowedOrigins()).ok,
    async close() {
      closing.abort();
      await handler.close();
      await watching;
    },
  };
}
