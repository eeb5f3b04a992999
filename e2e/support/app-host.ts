import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";

/**
 * The default policy for an MCP App that requests no permissions, as the MCP Apps spec defines it: inline script and
 * style, images in data: URLs, no network.
 */
const STRICTEST = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
  "frame-src 'self'",
].join("; ");

export type AppHost = {
  url: string;
  /** Messages from the app, in order. */
  said: { method: string; params: Record<string, unknown> }[];
};

/** A minimal chat client: shows the app in a sandboxed frame and forwards its calls to the MCP server. */
export async function hostApp(
  t: TestContext,
  page: Page,
  client: Client,
  html: string,
  title: string,
): Promise<AppHost> {
  const said: AppHost["said"] = [];
  await page.exposeFunction("carry", async (method: string, params: Record<string, unknown>) => {
    said.push({ method, params });
    if (method !== "tools/call") return {};
    return client.callTool({ name: String(params.name), arguments: params.arguments as Record<string, unknown> });
  });
  const server = createServer((_request, response) => {
    const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": STRICTEST };
    response.writeHead(200, headers).end(hostPage(html, title));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/`, said };
}

const hostPage = (html: string, title: string): string => `<!doctype html><html lang="en"><title>Chat</title>
<link rel="icon" href="data:,">
<iframe title="App" sandbox="allow-scripts" allow="clipboard-write" style="width:900px;height:700px"></iframe>
<script>
const frame = document.querySelector("iframe");
const post = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
const context = {
  protocolVersion: "2026-01-26",
  hostInfo: { name: "chat", version: "1" },
  hostCapabilities: { serverTools: {}, updateModelContext: { text: {} } },
  hostContext: { theme: "dark" },
};
addEventListener("message", async ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  const { id, method, params = {} } = data;
  const answer = await carry(method, params);
  if (method === "ui/notifications/initialized") {
    post({ method: "ui/notifications/tool-input", params: { arguments: { title: ${JSON.stringify(title)} } } });
  }
  if (id !== undefined) post({ id, result: method === "ui/initialize" ? context : answer });
});
</script>
<script type="text/plain" id="app">${encodeURIComponent(html)}</script>
<script>frame.srcdoc = decodeURIComponent(document.querySelector("#app").textContent);</script>`;
