import { type NodeMcpRequestHandler, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { createPanelsServer } from "./server.ts";
import type { WorkspaceCalls } from "./tools.ts";

export type PanelsHandler = { answer: NodeMcpRequestHandler; close(): Promise<void> };

type HandlerOptions = { maxMessageBytes: number; onError: (error: Error) => void };

/** For both eras of the protocol. There are no sessions: each message is complete, and brings its workspace as `extra`. */
export function createPanelsHandler({ maxMessageBytes, onError }: HandlerOptions): PanelsHandler {
  const handler = createMcpHandler(({ authInfo }) => createPanelsServer(authInfo?.extra?.workspace as WorkspaceCalls), {
    // Nothing that could be listened for changes.
    maxSubscriptions: 0,
    maxRequestBodySize: maxMessageBytes,
    onerror: onError,
  });
  return { answer: toNodeHandler(handler, { maxRequestBodySize: maxMessageBytes }), close: handler.close };
}
