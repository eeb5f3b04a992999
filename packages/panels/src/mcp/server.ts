import type { Screenshot } from "@backplane/contract/panels";
import { listed, refusalAnswer } from "@backplane/kit/mcp";
import { Problem } from "@backplane/kit/problems";
import { VERSION } from "@backplane/kit/version";
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { ToolFault, withAdvice } from "./faults.ts";
import { PANEL_TOOLS, type PanelTool, type WorkspaceCalls } from "./tools.ts";

/** The MCP server of one workspace, for any transport. */
export function createPanelsServer(workspace: WorkspaceCalls): McpServer {
  const name = `${workspace.owner}/${workspace.repo}`;
  const server = new McpServer(
    { name: "panels", title: `Backplane panels of ${name}`, version: VERSION },
    {
      // Declared up front: otherwise each registration would be announced as a change of the list.
      capabilities: { tools: { listChanged: false } },
      instructions: `Drives the workspace ${name}, which people see at ${workspace.page}. Begin with panel_list.`,
    },
  );
  for (const tool of PANEL_TOOLS) {
    const { title, description, input, readOnly } = tool;
    server.registerTool(
      tool.name,
      {
        ...{ title, description, inputSchema: listed(input) },
        annotations: {
          readOnlyHint: readOnly,
          destructiveHint: tool.name === "panel_close",
          openWorldHint: false,
        },
      },
      (given) => answer(workspace, tool, given),
    );
  }
  return server;
}

async function answer(workspace: WorkspaceCalls, tool: PanelTool, input: unknown): Promise<CallToolResult> {
  try {
    const value = (await tool.run(workspace, input)) ?? { done: true };
    if (!isScreenshot(value)) return { content: [{ type: "text", text: JSON.stringify(value) }] };
    const { dataUrl = "", ...shot } = value;
    return {
      content: [
        { type: "image", data: dataUrl.slice(dataUrl.indexOf(",") + 1), mimeType: shot.mimeType },
        { type: "text", text: JSON.stringify(shot) },
      ],
    };
  } catch (error) {
    if (!(error instanceof ToolFault || error instanceof Problem)) throw error;
    return refusalAnswer(withAdvice(error, workspace.page));
  }
}

const isScreenshot = (value: unknown): value is Screenshot =>
  typeof value === "object" && value !== null && "dataUrl" in value && "originalWidth" in value;
