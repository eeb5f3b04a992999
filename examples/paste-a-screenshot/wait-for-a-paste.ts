// npm run example paste-a-screenshot/wait-for-a-paste IMAGE: like an AI client, starts `backplane viewer mcp`, waits
// for the next screenshot, and reads what it shows.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const cli = fileURLToPath(new URL("../../packages/cli/bin/backplane.js", import.meta.url));
const [image = ""] = process.argv.slice(2);
const client = new Client({ name: "waiter", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [cli, "viewer", "mcp"],
    env: process.env as Record<string, string>,
  }),
);

const next = client.callTool({ name: "av_screenshot_latest", arguments: { wait_seconds: 60 } }, { timeout: 90_000 });
// Meanwhile a user pastes a screenshot. Here, another program adds a file.
spawn(process.execPath, [cli, "viewer", "add", image], { stdio: "ignore" });
const { structuredContent } = await next;
console.log(JSON.stringify(structuredContent, null, 2));
await client.close();
