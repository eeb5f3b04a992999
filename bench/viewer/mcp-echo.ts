// The minimum that the MCP library can do: one echo tool on node:http.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";

const input = fromJsonSchema<{ text: string }>({
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
});

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "echo", version: "1" });
  server.registerTool("echo", { description: "Says it again", inputSchema: input }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  return server;
});
const answer = toNodeHandler(handler);
/** Node's request, in the words of the library. */
type EchoRequest = Parameters<typeof answer>[0];

const server = createServer((request, response) => {
  if (request.url === "/ready") response.end("ready");
  else void answer(request as EchoRequest, response);
});
server.listen(Number(process.env.PORT), "127.0.0.1");
process.once("SIGTERM", () => server.close(() => process.exit()).closeAllConnections());
