import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { DEVICE_TOOLS } from "@backplane/devices/mcp";
import { PANEL_TOOLS } from "@backplane/panels/mcp";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { PANEL_TOKEN, startScriptedPanels } from "./scripted-panels.suite.ts";

const CLI = fileURLToPath(new URL("../../bin/backplane.js", import.meta.url));
const current = "/api/workspaces/editor/lab/rover/current";

async function connect(url: string) {
  const client = new Client({ name: "test", version: "1.0.0" });
  const env = { PATH: process.env.PATH ?? "", BASE_URL: url, BACKPLANE_TOKEN: PANEL_TOKEN };
  const args = [CLI, "panel", "mcp", "--workspace", "lab/rover"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

const textOf = (content: unknown): string => (content as { text: string }[]).map(({ text }) => text).join("\n");

test("a real client lists the tools and drives a panel with them", async () => {
  await using platform = await startScriptedPanels({
    "PATCH /api/panels/sandbox/lab/rover": { body: { status: "executed", result: 42 } },
    [`PATCH ${current}/screenshot`]: {
      body: { path: "a.png", width: 1, originalWidth: 1, mimeType: "image/png", dataUrl: "data:image/png;base64,AAAA" },
    },
    [`GET ${current}/schematic-pictures/boards/a%20b.kicad_sch?inline=true&sheet=%2F&pixels=1568`]: {
      body: { path: "a", sheet: "/", mimeType: "image/png", dataUrl: "data:image/png;base64,BBBB" },
    },
  });
  await using connected = await connect(platform.url);
  const { client } = connected;
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    [...PANEL_TOOLS.tools, ...DEVICE_TOOLS.tools].map(({ name }) => name),
  );
  assert.equal(client.getServerCapabilities()?.tools?.listChanged, false);
  const ran = await client.callTool({ name: "panel_eval", arguments: { panelId: "p1", code: "6 * 7" } });
  assert.deepEqual(JSON.parse(textOf(ran.content)), { status: "executed", result: 42 });
  assert.deepEqual(platform.asked.at(-1)?.body, { panelId: "p1", action: "eval", code: "6 * 7" });
  const shot = await client.callTool({ name: "panel_screenshot", arguments: { reason: "to see" } });
  const [picture, facts] = shot.content as { type: string; data?: string; text?: string }[];
  assert.deepEqual([picture?.type, picture?.data], ["image", "AAAA"]);
  assert.ok(!facts?.text?.includes("AAAA"), "the picture goes once");
  const drawn = await client.callTool({ name: "schematic_picture", arguments: { path: "boards/a b.kicad_sch" } });
  const [sheet, about] = drawn.content as { type: string; data?: string; mimeType?: string; text?: string }[];
  assert.deepEqual([sheet?.type, sheet?.data, sheet?.mimeType], ["image", "BBBB", "image/png"]);
  assert.deepEqual(JSON.parse(about?.text ?? ""), { path: "a", sheet: "/", mimeType: "image/png" });
});

test("a refusal is an answer with its code and advice in terms of the tools, and wrong input names the field", async () => {
  await using platform = await startScriptedPanels({
    [`GET ${current}`]: { status: 401, body: { code: "not-signed-in", title: "This needs a session or an API key" } },
    [`PATCH ${current}/tabs`]: {
      status: 404,
      body: { code: "tab-unknown", detail: "There is no tab t1. GET …/current lists them." },
    },
    [`PATCH ${current}/screenshot`]: { status: 409, body: { code: "no-browser-session", title: "No browser" } },
    "PATCH /api/panels/sandbox/lab/rover": {
      status: 409,
      body: { code: "wrong-panel-type", detail: "It is a web view." },
    },
  });
  await using connected = await connect(platform.url);
  const { client } = connected;
  const refused = await client.callTool({ name: "panel_reset", arguments: { panelId: "p1" } });
  assert.equal(refused.isError, true);
  assert.match(textOf(refused.content), /^wrong-panel-type: It is a web view\. .*panel_focus/);
  const advised: [name: string, input: Record<string, unknown>, says: RegExp][] = [
    ["panel_layout", {}, /^not-signed-in: .*configuration/],
    ["panel_focus", { tabId: "t1" }, /^tab-unknown: There is no tab t1\. Call panel_list/],
    ["panel_screenshot", { reason: "to see" }, new RegExp(`^no-browser-session: .*${platform.url}/w/lab/rover`)],
  ];
  const asked = () => platform.asked.length;
  const before = asked();
  for (const [name, input, says] of advised) {
    const { isError, content } = await client.callTool({ name, arguments: input });
    assert.deepEqual([isError, says.test(textOf(content))], [true, true], textOf(content));
    assert.doesNotMatch(textOf(content), /GET|PATCH|backplane login/);
  }
  assert.equal(asked(), before + advised.length);
  const wrong: [name: string, input: Record<string, unknown>, says: RegExp][] = [
    ["panel_eval", { panelId: "p1" }, /^invalid-input: .*\ncode is missing$/],
    ["panel_eval", { panelId: 1, code: "x" }, /\npanelId must be string$/],
    [
      "panel_move",
      { tabId: "t1", targetPanelId: "p1", direction: "up" },
      /\ndirection must be one of horizontal, vertical$/,
    ],
    ["panel_close", { tabId: "t1", tabid: "t1" }, /\ntabid is not a known field$/],
  ];
  for (const [name, input, says] of wrong) {
    const { isError, content } = await client.callTool({ name, arguments: input });
    assert.deepEqual([isError, says.test(textOf(content))], [true, true], textOf(content));
  }
  assert.equal(asked(), before + advised.length, "nothing was sent");
});
