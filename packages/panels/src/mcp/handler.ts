import type { WorkspaceCalls, WorkspaceTools } from "@backplane/kit/mcp";
import { type NodeMcpRequestHandler, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { createWorkspaceServer, moreTools } from "./server.ts";
import { PANEL_TOOLS } from "./tools.ts";

export type WorkspaceHandler = { answer: NodeMcpRequestHandler; close(): Promise<void> };

/** What a message brings. `wantsMore`: it lists the tools, or may call one that depends on what is in the workspace. */
export type MessageExtra = { workspace: WorkspaceCalls; wantsMore: boolean };

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
    async ({ authInfo }) => {
      const { workspace, wantsMore } = (authInfo?.extra ?? {}) as MessageExtra;
      return createWorkspaceServer(workspace, areas, wantsMore ? await moreTools(workspace, areas) : []);
    },
    {
      // Nothing that could be listened for changes.
      maxSubscriptions: 0,
      maxRequestBodySize: maxMessageBytes,
      onerror: onError,
    },
  );
  return { answer: toNodeHandler(handler, { maxRequestBodySize: maxMessageBytes }), close: handler.close };
}
