import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connectMcp, TRANSPORTS, uploadTo } from "./support/mcp.ts";
import { pictureWithoutText, type RunningViewer, startViewer } from "./support/viewer.ts";

let viewer: RunningViewer;
before(async () => {
  viewer = await startViewer();
});
after(() => viewer?.[Symbol.asyncDispose]());

for (const kind of TRANSPORTS) {
  test(`a client lists the tools and gets the latest screenshot over ${kind}`, async (t) => {
    const client = await connectMcp(t, viewer, kind, "modern");
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["av_screenshot_paste", "av_screenshot_latest", "av_screenshot_upload"],
    );
    const { id } = await uploadTo(viewer, await pictureWithoutText("#27c", 64, kind === "http" ? 40 : 48));
    const { structuredContent } = await client.callTool({ name: "av_screenshot_latest", arguments: {} });
    const { status, id: latest } = structuredContent as { status: string; id: string };
    assert.deepEqual([status, latest], ["found", id]);
  });
}

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

async function initialize(headers: Record<string, string>, body = INITIALIZE): Promise<[number, string]> {
  const type = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const asked = request(`${viewer.url}/mcp`, { method: "POST", agent: false, headers: { ...type, ...headers } });
  asked.end(body);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const text: string = (await response.setEncoding("utf8").toArray()).join("");
  return [response.statusCode ?? 0, text];
}

test("MCP only answers this machine under its own names: not other sites' pages, other names or other machines", async () => {
  for (const host of ["localhost", "127.0.0.1", `[::1]:${viewer.port}`]) {
    const [status, text] = await initialize({ host });
    assert.equal(status, 200, host);
    assert.match(text, /"serverInfo":\{"name":"viewer"/);
  }
  const refused: [Record<string, string>, number, string][] = [
    [{ host: "evil.example" }, 421, "host-unknown"],
    [{ origin: "https://evil.example" }, 403, "foreign-page"],
    [{ origin: "null" }, 403, "foreign-page"],
    [{ "sec-fetch-site": "cross-site" }, 403, "foreign-page"],
    [{ "x-forwarded-for": "203.0.113.7" }, 401, "viewer-token-needed"],
    [{ "x-forwarded-for": "203.0.113.7", authorization: "Bearer wrong" }, 401, "viewer-token-wrong"],
    [{ "content-encoding": "gzip" }, 415, "unsupported-media-type"],
  ];
  for (const [headers, status, code] of refused) {
    const [answered, text] = await initialize(headers);
    assert.deepEqual([answered, JSON.parse(text).code], [status, code], JSON.stringify(headers));
  }
  const token = readFileSync(join(viewer.home, "viewer-token"), "utf8").trim();
  const withToken = { "x-forwarded-for": "203.0.113.7", authorization: `Bearer ${token}` };
  assert.equal((await initialize(withToken))[0], 200);
});
