import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Browser } from "playwright-core";
import { programOf } from "../scripts/programs.ts";
import { freePort } from "../scripts/services/index.ts";
import { CLI, Program, plainEnvironment, startBackplane } from "./support/backplane.ts";
import { openBrowser } from "./support/browser.ts";
import { copyPicture, pressPaste } from "./support/clipboard.ts";
import { uploadTo } from "./support/mcp.ts";
import { until } from "./support/processes.ts";
import { pictureWithoutText, startViewer } from "./support/viewer.ts";
import { newFilesOf, openPastePage, waitForPaste } from "./viewer/page-bench.ts";

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

async function newProject(t: TestContext) {
  const project = mkdtempSync(join(tmpdir(), "backplane-hand-over-"));
  t.after(() => rmSync(project, { recursive: true, force: true }));
  const port = await freePort();
  const env = { ...plainEnvironment(), HOME: project, VIEWER_PORT: String(port) };
  const asProcess = { VIEWER_PROJECT: project, VIEWER_PORT: String(port) };
  return { project, env, asProcess, pages: `http://localhost:${port}` };
}

test("backplane viewer open hands over to the viewer process, and open pages continue there", async (t) => {
  const { project, env, asProcess, pages } = await newProject(t);
  await using command = new Program(process.execPath, [CLI, "viewer", "open"], { cwd: project, env });
  await command.prints(/No viewer was running for this project, so this command runs one/);
  await using seen = await openPastePage(browser, { pages });
  const { page } = seen;
  await copyPicture(page, await pictureWithoutText("#27c"));
  await pressPaste(page);
  await page.getByText(/^Saved in/).waitFor();

  await using viewer = await startViewer(asProcess);
  assert.equal(await command.ended(), 0, command.output);
  const files = newFilesOf(viewer);
  assert.equal(viewer.files().length, 2);
  await copyPicture(page, await pictureWithoutText("#b52"));
  await pressPaste(page);
  await until(() => files().length === 2, "both files");
  const [file = ""] = files().filter((name) => !name.includes("original"));
  await page.getByText(file).first().waitFor();
  await page.getByRole("listitem").locator("img[src^='blob:']").waitFor();
});

test("backplane up starts even if backplane viewer open holds the port and the project", async (t) => {
  const { project, env, asProcess, pages } = await newProject(t);
  await using command = new Program(process.execPath, [CLI, "viewer", "open"], { cwd: project, env });
  await command.prints(/No viewer was running for this project, so this command runs one/);
  await using _backplane = await startBackplane({ env: asProcess });
  assert.equal(await command.ended(), 0, command.output);
  assert.match(command.output, /Another viewer has taken over the project/);
  assert.equal((await fetch(`${pages}/screenshot-paste`)).status, 200);
});

test("backplane viewer mcp continues as a client of the viewer process, and its pending wait completes", async (t) => {
  const { project, env, asProcess } = await newProject(t);
  const client = new Client({ name: "test", version: "1" });
  const args = [CLI, "viewer", "mcp"];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: project, env: env as Record<string, string> }),
  );
  t.after(() => client.close());
  const { found } = await waitForPaste(client);
  await using viewer = await startViewer(asProcess);
  const image = await pictureWithoutText("#0aa");
  const { id } = await uploadTo(viewer, image);
  assert.equal(((await found).structuredContent as { id: string }).id, id);
  const widget = (await client.callTool({ name: "av_screenshot_paste", arguments: {} })).structuredContent;
  assert.equal((widget as { url: string }).url, `${viewer.pages}/screenshot-paste`);
});

test("a second viewer process for the same project does not start, and names the project and the process", async (t) => {
  const { project, asProcess } = await newProject(t);
  await using viewer = await startViewer(asProcess);
  const port = String(await freePort());
  await using second = new Program(process.execPath, [programOf("viewer")], {
    cwd: project,
    env: { ...plainEnvironment(), VIEWER_PROJECT: project, VIEWER_PORT: port, BACKPLANE_HOME: join(project, "home") },
  });
  assert.notEqual(await second.ended(), 0);
  assert.ok(second.output.includes(String(viewer.pid)), second.output);
  assert.ok(second.output.includes(project), second.output);
  assert.equal((await fetch(`${viewer.url}/ready`)).status, 200);
});
