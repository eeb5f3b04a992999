import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createWidgetOpener, type OpenerOptions } from "./widget-opener.ts";

type Asked = { method: string; path: string; key: unknown; body: string };

/** Answers like the platform, over a real connection; e2e/viewer-workspace.long.test.ts uses the real one. */
async function serveWorkspaces(t: TestContext, workspaces: unknown, status = 200) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    asked.push({ method: request.method ?? "", path: request.url ?? "", key: request.headers["x-api-key"], body });
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ workspaces }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const textOf = async (request: IncomingMessage): Promise<string> =>
  (await Array.fromAsync(request.setEncoding("utf8"))).join("");

const opener = (options: Partial<OpenerOptions> & { baseUrl: string }) =>
  createWidgetOpener({
    viewerUrl: "http://localhost:8770",
    workspace: undefined,
    readApiKey: async () => "bpk_1",
    fetch,
    command: "backplane",
    ...options,
  });

const seen = { owner: "ada", repo: "rover", browserConnected: true };
const unseen = { owner: "ada", repo: "oven", browserConnected: false };

test("opens in the workspace that a browser shows, in the panel that showed the page before", async (t) => {
  const { asked, baseUrl } = await serveWorkspaces(t, [unseen, seen]);
  const widget = await opener({ baseUrl })("Rev C & friends");
  assert.deepEqual(widget, {
    status: "opened",
    url: "http://localhost:8770/screenshot-paste?title=Rev+C+%26+friends",
    title: "Rev C & friends",
    folder: "screenshots/sp/",
    maxDimension: 1_568,
    workspace: "ada/rover",
    reason: null,
  });
  assert.deepEqual(
    asked.map(({ method, path, key }) => [method, path, key]),
    [
      ["GET", "/api/workspaces", "bpk_1"],
      ["POST", "/api/workspaces/editor/ada/rover/current/tabs", "bpk_1"],
    ],
  );
  assert.deepEqual(JSON.parse(asked[1]?.body ?? ""), {
    panelType: "webview",
    displayName: "Screenshot paste",
    initialState: { url: widget.url, headerHidden: true },
    reuse: true,
  });
});

test("opens only in the configured workspace", async (t) => {
  const { baseUrl } = await serveWorkspaces(t, [seen, unseen]);
  const widget = await opener({ baseUrl, workspace: "ada/oven" })(undefined);
  assert.deepEqual([widget.status, widget.title], ["not_opened", "Paste a screenshot"]);
  assert.match(
    widget.reason ?? "",
    /No browser shows the workspace ada\/oven\. Open .*\/w\/ada\/oven, then try again\./,
  );
});

test("when no panel can be opened, it says why and what to do, and returns the address", async (t) => {
  const none = await serveWorkspaces(t, []);
  assert.match((await opener({ baseUrl: none.baseUrl })("x")).reason ?? "", /There is no workspace yet/);
  const refusing = await serveWorkspaces(t, [], 403);
  assert.match(
    (await opener({ baseUrl: refusing.baseUrl })("x")).reason ?? "",
    /BACKPLANE_TOKEN to one with the scope panels/,
  );
  const another = await serveWorkspaces(t, "what");
  assert.match((await opener({ baseUrl: another.baseUrl })("x")).reason ?? "", /is not a Backplane/);
  const away = await opener({ baseUrl: "http://127.0.0.1:1" })("x");
  assert.match(away.reason ?? "", /does not answer at .* backplane up\. Or open the address/);
  const withoutKey = await opener({ baseUrl: none.baseUrl, readApiKey: async () => undefined })("x");
  assert.match(withoutKey.reason ?? "", /Backplane is not running here/);
  assert.equal(withoutKey.url, "http://localhost:8770/screenshot-paste?title=x");
});
