import { VERSION } from "@backplane/kit/version";
import { CallError, type Workspace } from "@backplane/sdk";
import { type CallToolResult, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { isScreenshot, PANEL_TOOLS, type PanelTool } from "./mcp-tools.ts";
import { type PanelFlags, withWorkspace } from "./with-workspace.ts";

/** `backplane panel mcp`: until the client closes standard input, or Ctrl-C. */
export const serveMcp = (host: NodeJS.Process, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, name, session }) => {
    const ended = Promise.withResolvers<void>();
    const served = serveStdio(() => createServer(workspace, name), {
      onerror: (error) => host.stderr.write(`${error.message}\n`),
    });
    host.stdin.once("end", ended.resolve);
    session.signal?.addEventListener("abort", () => ended.resolve(), { once: true });
    await ended.promise;
    await served.close();
    return undefined;
  });

function createServer(workspace: Workspace, name: string): McpServer {
  const server = new McpServer(
    { name: "panels", title: `Backplane panels of ${name}`, version: VERSION },
    {
      capabilities: { tools: {} },
      instructions: `Drives the workspace ${name}, which people see at ${workspace.page}. Begin with panel_list.`,
    },
  );
  for (const tool of PANEL_TOOLS) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: fromJsonSchema<object>({
          type: "object",
          properties: tool.properties as Record<string, never>,
          required: [...tool.required],
          additionalProperties: false,
        }),
        annotations: {
          readOnlyHint: tool.readOnly,
          destructiveHint: tool.name === "panel_close",
          openWorldHint: false,
        },
      },
      (input) => answer(workspace, tool, input),
    );
  }
  return server;
}

async function answer(workspace: Workspace, tool: PanelTool, input: object): Promise<CallToolResult> {
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
    if (!(error instanceof CallError)) throw error;
    const faults = error.faults.map(({ pointer, message }) => `${pointer} ${message}`);
    const words = [`${error.problemCode ?? error.code}: ${error.message}`, ...faults].join("\n");
    return { isError: true, content: [{ type: "text", text: words }] };
  }
}
