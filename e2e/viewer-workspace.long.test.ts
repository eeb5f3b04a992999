import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Widget } from "@backplane/contract/viewer";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Browser, Page } from "playwright-core";
import { CLI, Program, plainEnvironment } from "./support/backplane.ts";
import { openBrowser, type Visit } from "./support/browser.ts";
import { copyPicture, copyText, pressPaste } from "./support/clipboard.ts";
import { clickInFrame } from "./support/mouse.ts";
import { until } from "./support/processes.ts";
import { pictureWithText, pngFacts, type RunningViewer, startViewer } from "./support/viewer.ts";
import { driverOf, openPage, startWorkspaces, type Workspaces } from "./support/workspaces.ts";
import { assertAccessible, newFilesOf, untilPair, waitForPaste } from "./viewer/page-bench.ts";

let browser: Browser;
let workspaces: Workspaces;
let viewer: RunningViewer;

before(async () => {
  browser = await openBrowser();
  workspaces = await startWorkspaces("one instance, embedded");
  viewer = await startViewer(sameBackplane());
});
after(async () => {
  await main?.[Symbol.asyncDispose]();
  await viewer?.[Symbol.asyncDispose]();
  await workspaces?.[Symbol.asyncDispose]();
  await browser?.close();
});

/** For a viewer of the same Backplane: the owner's key is in its home. */
const sameBackplane = (): NodeJS.ProcessEnv => ({
  BACKPLANE_HOME: workspaces.instances[0]?.home,
  BASE_URL: workspaces.pages,
});

const driver = (repo: string) => driverOf(workspaces, workspaces.pages, repo);
const tabsOf = async (repo: string) =>
  (await driver(repo).tabs()).filter(({ displayName }) => displayName === "Screenshot paste");

async function connectClient({ url }: RunningViewer) {
  const client = new Client({ name: "bench-agent", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return {
    openPage: async (title?: string) =>
      (await client.callTool({ name: "av_screenshot_paste", arguments: title === undefined ? {} : { title } }))
        .structuredContent as Widget,
    client,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const panelOf = (page: Page) => page.frameLocator(`iframe[src^="${viewer.pages}/"]`);
const window = { permissions: ["clipboard-read", "clipboard-write"], viewport: { width: 1_280, height: 900 } };

/** The window with the workspace main, shared by the tests that need it. */
let main: Visit | undefined;
const showMain = async (): Promise<Visit> => {
  main ??= await openPage(browser, workspaces, "main", window);
  return main;
};

test("av_screenshot_paste without a browser: not_opened, with the reason, the next step and an address that works", async () => {
  await using client = await connectClient(viewer);
  const { status, reason, url, workspace } = await client.openPage("Thermal run");
  assert.deepEqual([status, workspace], ["not_opened", null]);
  assert.match(reason ?? "", /There is no workspace yet\. Open .* in a browser and create one, then try again\./);
  assert.match(await (await fetch(url)).text(), /Thermal run/);
});

test("av_screenshot_paste {title} opens the widget in the active viewer panel, where a real paste ends in two files", async () => {
  const seen = await showMain();
  const { page } = seen;
  await using client = await connectClient(viewer);
  const widget = await client.openPage("Thermal run, rev C");
  assert.deepEqual([widget.status, widget.workspace, widget.reason], ["opened", "owner/main", null]);
  assert.equal(widget.title, "Thermal run, rev C");

  const panel = panelOf(page);
  await panel.getByText("Thermal run, rev C").waitFor();
  // No address bar: the page is known and framable.
  assert.equal(await page.getByLabel("Address").count(), 0);
  await until(async () => (await tabsOf("main")).length === 1, "the tab");

  const files = newFilesOf(viewer);
  const { found: waiting } = await waitForPaste(client.client);
  await copyPicture(page, await pictureWithText("Soldering station settings", 2_000, 1_000));
  await clickInFrame(page, panel.getByRole("heading", { name: /Click here, then press/ }));
  await panel.getByRole("heading", { name: /to paste/ }).waitFor();
  await pressPaste(page);
  await panel.getByText(/^Saved and named in/).waitFor();
  await untilPair(files, "soldering-station-settings");
  const [optimized = "", original = ""] = files();
  assert.deepEqual(
    [optimized, original],
    ["soldering-station-settings-1568x784.png", "soldering-station-settings-2000x1000-original.png"],
  );
  assert.equal(pngFacts(viewer.path(optimized)).zlibHeader, "78da");

  const found = (await waiting).structuredContent as { status: string; isNamed: boolean; optimized: { path: string } };
  assert.deepEqual([found.status, found.isNamed, found.optimized.path], ["found", true, `screenshots/sp/${optimized}`]);
  assert.equal(await page.getByText(/does not allow framing|Blank/).count(), 0);
  await assertAccessible(page, "the workspace with the panel");
  assert.deepEqual(seen.complaints, []);
});

test("in the panel a path can be copied; for images the page says where copying works", async () => {
  const seen = await showMain();
  const { page } = seen;
  const panel = panelOf(page);
  await copyText(page, "something else");
  await clickInFrame(page, panel.locator("#original").getByRole("button", { name: "Copy path" }));
  await panel.getByRole("button", { name: "Copied" }).waitFor();
  assert.match(
    await page.evaluate(() => navigator.clipboard.readText()),
    /^screenshots\/sp\/soldering-station-settings-2000x1000-original\.png$/,
  );
  await panel.getByRole("button", { name: "Copy image" }).click();
  await panel.getByText(`Open ${viewer.pages}/screenshot-paste in its own window.`).waitFor();
  assert.deepEqual(seen.complaints, []);
});

test("a second call shows the same tab again, with the new title", async () => {
  const seen = await showMain();
  const { page } = seen;
  const [before] = await tabsOf("main");
  await using client = await connectClient(viewer);
  assert.equal((await client.openPage("Rev D")).status, "opened");
  await panelOf(page).getByText("Rev D").waitFor();
  const [now, ...others] = await tabsOf("main");
  assert.deepEqual([now?.tabId, others], [before?.tabId, []]);
  assert.deepEqual(seen.complaints, []);
});

test("backplane viewer open prints the workspace in which it opened the page", async () => {
  const seen = await showMain();
  await using program = new Program(
    process.execPath,
    [CLI, "viewer", "open", "--title", "From a terminal", "--project", viewer.project],
    { cwd: viewer.project, env: plainEnvironment() },
  );
  assert.equal(await program.ended(), 0, program.output);
  assert.match(program.output, /Opened in the workspace owner\/main/);
  assert.ok(program.output.includes(`its two files go to ${viewer.project}/screenshots/sp\n`), program.output);
  await panelOf(seen.page).getByText("From a terminal").waitFor();
});

test("VIEWER_WORKSPACE names the workspace: no other is used, however many browsers show it", async () => {
  await using chosen = await startViewer({ ...sameBackplane(), VIEWER_WORKSPACE: "owner/bench" });
  await showMain();
  await using client = await connectClient(chosen);
  const refused = await client.openPage();
  assert.equal(refused.status, "not_opened");
  assert.match(
    refused.reason ?? "",
    /No browser shows the workspace owner\/bench\. Open .*\/w\/owner\/bench, then try/,
  );
  await using seen = await openPage(browser, workspaces, "bench", window);
  const opened = await client.openPage();
  assert.deepEqual([opened.status, opened.workspace], ["opened", "owner/bench"]);
  await seen.page
    .frameLocator(`iframe[src^="${chosen.pages}/"]`)
    .getByRole("heading", { name: /then press/ })
    .waitFor();
});
