import type { Screenshot } from "@backplane/contract/panels";
import {
  listed,
  refusalAnswer,
  ToolFault,
  type WorkspaceCalls,
  type WorkspaceTool,
  type WorkspaceTools,
} from "@backplane/kit/mcp";
import { Problem } from "@backplane/kit/problems";
import { VERSION } from "@backplane/kit/version";
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { withAdvice } from "./faults.ts";

/** Tools for what is in the workspace now. Where they cannot be found out, all others are there. */
export async function moreTools(workspace: WorkspaceCalls, areas: readonly WorkspaceTools[]): Promise<WorkspaceTool[]> {
  const found = await Promise.allSettled(areas.map((area) => area.more?.(workspace) ?? []));
  return found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
}

/** The MCP server of one workspace, for any transport. `areas`: the tools of each area that has some. */
export function createWorkspaceServer(
  workspace: WorkspaceCalls,
  areas: readonly WorkspaceTools[],
  more: readonly WorkspaceTool[] = [],
): McpServer {
  const name = `${workspace.owner}/${workspace.repo}`;
  const server = new McpServer(
    { name: "panels", title: `Backplane workspace ${name}`, version: VERSION },
    {
      // Declared up front: otherwise each registration would be announced as a change of the list.
      capabilities: { tools: { listChanged: false } },
      instructions: `Drives the workspace ${name}, which people see at ${workspace.page}. Begin with ${areas.map(({ begin }) => begin).join(" or ")}.`,
    },
  );
  const advice = Object.assign({}, ...areas.map((area) => area.advice)) as WorkspaceTools["advice"];
  for (const tool of [...areas.flatMap(({ tools }) => tools), ...more]) {
    const { title, description, input, readOnly, destructive } = tool;
    server.registerTool(
      tool.name,
      {
        ...{ title, description, inputSchema: listed(input) },
        annotations: {
          readOnlyHint: readOnly,
          destructiveHint: destructive,
          openWorldHint: false,
        },
      },
      (given, { mcpReq }) => answer(workspace, advice, () => tool.run(workspace, given, mcpReq.signal)),
    );
  }
  return server;
}

async function answer(
  { page }: WorkspaceCalls,
  advice: WorkspaceTools["advice"],
  run: () => ReturnType<WorkspaceTool["run"]>,
): Promise<CallToolResult> {
  try {
    const value = (await run()) ?? { done: true };
    if (!isPicture(value)) return { content: [{ type: "text", text: JSON.stringify(value) }] };
    const { dataUrl = "", ...shot } = value;
    return {
      content: [
        { type: "image", data: dataUrl.slice(dataUrl.indexOf(",") + 1), mimeType: shot.mimeType },
        { type: "text", text: JSON.stringify(shot) },
      ],
    };
  } catch (error) {
    if (!(error instanceof ToolFault || error instanceof Problem)) throw error;
    return refusalAnswer(withAdvice(error, advice, page));
  }
}

const isPicture = (value: unknown): value is Pick<Screenshot, "dataUrl" | "mimeType"> =>
  typeof value === "object" && value !== null && "dataUrl" in value && "mimeType" in value;
