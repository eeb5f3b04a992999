import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { hostApp } from "./support/app-host.ts";
import { openBrowser, visit } from "./support/browser.ts";
import { copyPicture, copyText, pressPaste } from "./support/clipboard.ts";
import { axeViolations } from "./support/looks.ts";
import { connectMcp } from "./support/mcp.ts";
import { until } from "./support/processes.ts";
import { pictureWithText, type RunningViewer, startViewer } from "./support/viewer.ts";
import { newFilesOf, untilPair } from "./viewer/page-bench.ts";

let browser: Browser;
let viewer: RunningViewer;
before(async () => {
  browser = await openBrowser();
  viewer = await startViewer();
});
after(async () => {
  await viewer?.[Symbol.asyncDispose]();
  await browser?.close();
});

const WIDGET = "ui://viewer/screenshot-paste.html";
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

test("the widget is an MCP App: a chat program shows it in a sandboxed frame, and a paste into it is saved and named", async (t) => {
  const client = await connectMcp(t, viewer, "http", "modern");
  const { tools } = await client.listTools();
  const uiOf = (name: string) => tools.find((tool) => tool.name === name)?._meta?.ui;
  assert.deepEqual(uiOf("av_screenshot_paste"), { resourceUri: WIDGET });
  assert.deepEqual(uiOf("av_screenshot_upload"), { resourceUri: WIDGET, visibility: ["app"] });
  const [resource] = (await client.readResource({ uri: WIDGET })).contents;
  assert.ok(resource && "text" in resource);
  assert.equal(resource.mimeType, "text/html;profile=mcp-app");

  await using seen = await visit(browser, CLIPBOARD);
  const { page } = seen;
  const host = await hostApp(t, page, client, resource.text, "Paste the scope");
  await page.goto(host.url);
  const frame = page.frameLocator("iframe");
  await frame.getByText("Paste the scope").waitFor();
  assert.equal(await frame.locator("html").getAttribute("data-theme"), "dark");
  assert.deepEqual(await violations(), []);

  const files = newFilesOf(viewer);
  await copyPicture(page, await pictureWithText("Oscilloscope ripple", 2_000, 800));
  await frame.getByRole("heading", { name: /Click here, then press/ }).click();
  await pressPaste(page);
  await frame.getByText(/^Saved and named in/).waitFor();
  await untilPair(files, "oscilloscope-ripple");
  assert.deepEqual(files(), ["oscilloscope-ripple-1568x627.png", "oscilloscope-ripple-2000x800-original.png"]);
  await frame.getByText("screenshots/sp/oscilloscope-ripple-1568x627.png").first().waitFor();
  const isShown = (image: Element) => (image as HTMLImageElement).naturalWidth > 0;
  const shown = frame.getByAltText("oscilloscope-ripple, optimized");
  await until(() => shown.evaluate(isShown), "the image is shown");
  assert.deepEqual(await violations(), []);

  const called = host.said.filter(({ method }) => method === "tools/call").map(({ params }) => params.name);
  assert.equal(called[0], "av_screenshot_upload");
  assert.ok(called.slice(1).every((name) => name === "av_screenshot_latest"));
  const updates = host.said.filter(({ method }) => method === "ui/update-model-context");
  assert.match(JSON.stringify(updates.at(-1)), /oscilloscope-ripple-1568x627\.png/);
  assert.ok(host.said.some(({ method }) => method === "ui/notifications/size-changed"));
  assert.deepEqual(seen.complaints, []);

  await copyText(page, "only words");
  await frame.getByText(/^Saved and named in/).click();
  await pressPaste(page);
  await frame.getByRole("alert").getByText("Nothing was saved: the clipboard holds text, not an image.").waitFor();
  assert.equal(files().length, 2);

  /** Only inside the frame; the page around it belongs to the chat program. */
  async function violations() {
    const inside = await (await page.locator("iframe").elementHandle())?.contentFrame();
    const found = await axeViolations(inside ?? assert.fail("the frame is empty"));
    return found.map(({ id, nodes }) => [id, nodes[0]?.html]);
  }
});
