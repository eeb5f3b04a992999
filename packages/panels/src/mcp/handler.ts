import type { WorkspaceCalls, WorkspaceTools } from "@backplane/kit/mcp";
import { type NodeMcpRequestHandler, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { createWorkspaceServer } from "./server.ts";
import { PANEL_TOOLS } from "./tools.ts";

export type WorkspaceHandler = { answer: NodeMcpRequestHandler; close(): Promise<void> };

type HandlerOptions = {
  maxMessageBytes: number;
  /** Of other areas. */
  tools: readonly WorkspaceTools[];
  onError: (error: Error) => void;
};

/** For both eras of the protocol. There are no sessions: each message is complete, and brings its workspace as `extra`. */
export function createWorkspaceHandler({ maxMessageBytes, tools, onError }: HandlerOptions): WorkspaceHandler {
  const areas = [PANEL_TOOLS, ...tools];
  const handler = createMcpHandler(
    ({ authInfo }) => createWorkspaceServer(authInfo?.extra?.workspace as WorkspaceCalls, areas),
    {
      // Nothing that could be listened for changes.
      maxSubscriptions: 0,
      maxRequestBodySize: maxMessageBytes,
      onerror: onError,
    },
  );
  return { answer: toNodeHandler(handler, { maxRequestBodySize: maxMessageBytes }), close: handler.close };
}
