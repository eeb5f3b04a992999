import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Frame } from "playwright-core";
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
  const shown = frame.getByAltText("oscilloscope-ripple", { exact: true });
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

const MARKUP = '"><img src=x onerror="window.pwned=1"><svg onload="window.pwned=1">';

test("HTML in a title, in a picture's text and in records that came with the project stays text, in the page and in the app", async (t) => {
  const png = await pictureWithText(
    MARKUP.replace(/[<>"&]/g, (sign) => `&#${sign.codePointAt(0)};`),
    1_400,
    300,
  );
  const sent = await fetch(`${viewer.url}/screenshot-paste`, {
    method: "POST",
    headers: { "x-viewer-token": await viewer.token(), "content-type": "image/png" },
    body: new Uint8Array(png),
  });
  assert.equal(sent.status, 201);
  const { id } = (await sent.json()) as { id: string };
  const record = join(viewer.project, "screenshots", "sp", ".pastes", `${id}.json`);
  const read = () => JSON.parse(readFileSync(record, "utf8"));
  await until(() => read().status === "named", "the name");

  // A project that somebody else prepared.
  await viewer.kill();
  const hostile = { title: MARKUP, instance: MARKUP.slice(0, 60), text: MARKUP, suggestions: [MARKUP, `${MARKUP} 2`] };
  writeFileSync(record, JSON.stringify({ ...read(), ...hostile }));
  writeFileSync(viewer.path(`${MARKUP.replaceAll("/", "")}-10x10.png`), png);
  await viewer.start();

  await using seen = await visit(browser, CLIPBOARD);
  const { page } = seen;
  const isUntouched = (frame: Pick<Frame, "evaluate">) =>
    frame.evaluate(() => !("pwned" in window) && document.querySelector('img[src="x"], svg[onload]') === null);
  await page.goto(`${viewer.pages}/screenshot-paste?${new URLSearchParams({ title: MARKUP })}`);
  await page.locator("#title").getByText(MARKUP, { exact: true }).waitFor();
  await page.locator("#gallery [data-do=show]").first().click();
  await page.locator("#naming").getByRole("button", { name: MARKUP, exact: true }).waitFor();
  await page.getByRole("searchbox").fill("onerror");
  await page.getByRole("listitem").getByText(MARKUP).waitFor();
  assert.equal(await isUntouched(page), true);
  assert.deepEqual(seen.complaints, []);

  const client = await connectMcp(t, viewer, "http", "modern");
  const [resource] = (await client.readResource({ uri: WIDGET })).contents;
  assert.ok(resource && "text" in resource);
  const host = await hostApp(t, page, client, resource.text, MARKUP);
  await page.goto(host.url);
  await page.frameLocator("iframe").locator("#title").getByText(MARKUP, { exact: true }).waitFor();
  const inside = await (await page.locator("iframe").elementHandle())?.contentFrame();
  assert.equal(await isUntouched(inside ?? assert.fail("the frame is empty")), true);
  assert.equal(await isUntouched(page), true);
});
