import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import { assertSameBytes } from "../scripts/testing/same-bytes.ts";
import { openBrowser, visit } from "./support/browser.ts";
import { copyPicture, pressPaste } from "./support/clipboard.ts";
import { writeOldScreenshots } from "./support/old-screenshots.ts";
import { until } from "./support/processes.ts";
import {
  pictureWithoutText,
  pictureWithText,
  pngFacts,
  type RunningViewer,
  startViewer,
  tokenIn,
} from "./support/viewer.ts";

let browser: Browser;
let viewer: RunningViewer;
let workspace: FramePage;
let picture: Buffer;
const project = mkdtempSync(join(tmpdir(), "backplane-project-"));
before(async () => {
  browser = await openBrowser();
  workspace = await serveFrame(() => `${viewer.pages}/screenshot-paste`);
  await writeOldScreenshots(project, OLD_SCREENSHOTS);
  viewer = await startViewer({ BASE_URL: workspace.url, VIEWER_PROJECT: project });
  picture = await pictureWithText("Reflow oven profile", 1_600, 1_000);
});
after(async () => {
  for (const each of [viewer, workspace]) await each?.[Symbol.asyncDispose]();
  await browser?.close();
  rmSync(project, { recursive: true, force: true });
});

const OLD_SCREENSHOTS = 30;
const LISTED_AT_ONCE = 24;
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };
const LARGE_PAIR = /^reflow-oven-profile[a-z0-9-]*-(1568x980\.png|1600x1000-original\.png)$/;

/** The pair added since `before`, once both files are named. */
async function newPair(before: readonly string[]): Promise<[optimized: string, original: string]> {
  const fresh = () => viewer.files().filter((file) => !before.includes(file));
  await until(() => fresh().length === 2 && fresh().every((file) => LARGE_PAIR.test(file)), "two named files");
  const [optimized = "", original = ""] = fresh().sort((a, b) => a.length - b.length);
  return [optimized, original];
}

async function expectPair([optimized, original]: [string, string]): Promise<void> {
  const small = pngFacts(viewer.path(optimized));
  const large = pngFacts(viewer.path(original));
  assert.deepEqual([small.width, small.height, large.width, large.height], [1_568, 980, 1_600, 1_000]);
  assert.equal(small.zlibHeader, "78da");
  assert.equal(original.replace("-1600x1000-original.png", ""), optimized.replace("-1568x980.png", ""));
  const same = await sharp(viewer.path(original)).removeAlpha().raw().toBuffer();
  assert.deepEqual(digest(same), digest(await sharp(picture).removeAlpha().raw().toBuffer()));
}

const digest = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

test("GET /screenshot-paste serves fresh widget HTML: never cached, a new token each time, nothing from elsewhere", async () => {
  const [one, two] = await Promise.all([1, 2].map(() => fetch(`${viewer.url}/screenshot-paste?title=Rev%20C`)));
  assert.match(one?.headers.get("content-type") ?? "", /^text\/html/);
  assert.equal(one?.headers.get("cache-control"), "no-store");
  const html = (await one?.text()) ?? "";
  assert.match(html, /Rev C/);
  assert.ok(tokenIn(html) && tokenIn((await two?.text()) ?? ""));
  assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//);
});

test("a real paste becomes two named files: resized proportionally to 1568 px at level 9, and the unchanged original", async () => {
  await using seen = await visit(browser, CLIPBOARD);
  const { page } = seen;
  const before = viewer.files();
  await page.goto(`${viewer.pages}/screenshot-paste?title=Thermal%20run`);
  await page.getByRole("heading", { name: /to paste/ }).waitFor();
  await copyPicture(page, picture);
  await pressPaste(page);
  await page.getByText(/Saved and named in/).waitFor();
  const pair = await newPair(before);
  await expectPair(pair);
  await page.getByText(`screenshots/sp/${pair[0]}`).first().waitFor();
  await page.getByText(`screenshots/sp/${pair[1]}`).first().waitFor();
  assert.deepEqual(seen.complaints, []);
});

type FramePage = AsyncDisposable & { url: string };

/** A page at an origin of its own that frames another in the strictest sandbox. */
async function serveFrame(src: () => string): Promise<FramePage> {
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(`<iframe sandbox="allow-scripts" src="${src()}" style="width:900px;height:700px"></iframe>`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("a paste in a sandboxed frame, where the page has no origin, ends in the same two files", async () => {
  await using seen = await visit(browser, CLIPBOARD);
  const { page } = seen;
  const before = viewer.files();
  await page.goto(`${viewer.pages}/screenshot-paste`);
  await copyPicture(page, picture);
  await page.goto(workspace.url);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("heading", { name: /Click here, then press/ }).click();
  await frame.getByRole("heading", { name: /to paste/ }).waitFor();
  await pressPaste(page);
  await frame.getByText(/Saved and named in/).waitFor();
  await expectPair(await newPair(before));
  assert.deepEqual(seen.complaints, []);
});

test("of many screenshots the page lists some and fetches the thumbnails in view; Show more lists the others, each once", async () => {
  await using seen = await visit(browser);
  const { page } = seen;
  const thumbnails: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/thumbnail.webp")) thumbnails.push(request.url());
  });
  await page.goto(`${viewer.pages}/screenshot-paste`);
  const tiles = page.getByRole("region", { name: "All screenshots" }).getByRole("listitem");
  const names = () => tiles.locator("[data-do=show]").allInnerTexts();
  await tiles.first().locator("img[src^='blob:']").waitFor();
  assert.equal(await tiles.count(), LISTED_AT_ONCE);
  assert.ok(thumbnails.length < LISTED_AT_ONCE, `${thumbnails.length} thumbnails`);

  await page.getByRole("button", { name: "Show more" }).press("Enter");
  await until(async () => (await names()).at(-1) === "old-01", "all are listed");
  const all = await names();
  assert.equal(new Set(all).size, all.length);
  assert.ok(all.length >= OLD_SCREENSHOTS);
  assert.equal(await page.getByRole("button", { name: "Show more" }).isVisible(), false);
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  assert.equal(focused, all[LISTED_AT_ONCE], "the focus moves to the first new one");
  await tiles.last().scrollIntoViewIfNeeded();
  await tiles.last().locator("img[src^='blob:']").waitFor();
  assert.equal(new Set(thumbnails).size, thumbnails.length, "no thumbnail is fetched twice");
  assert.deepEqual(seen.complaints, []);
});

const upload = (body: Buffer, headers: Record<string, string> = {}, query = ""): Promise<Response> =>
  fetch(`${viewer.url}/screenshot-paste${query}`, {
    method: "POST",
    headers: { "content-type": "image/png", ...headers },
    body: new Uint8Array(body),
  });

const withToken = async () => ({ "x-viewer-token": await viewer.token() });

test("before naming the files are sp-<timestamp>-<width>x<height>.png, and stay so without readable text", async () => {
  const blank = await pictureWithoutText("#2b6");
  const before = viewer.files();
  const answer = await upload(blank, await withToken());
  assert.equal(answer.status, 201);
  const paste = (await answer.json()) as { id: string; status: string; name: string; suggestions: string[] };
  assert.deepEqual([paste.status, paste.suggestions], ["naming", []]);
  assert.match(paste.name, /^sp-\d{8}-\d{6}-\d{3}$/);
  const fresh = viewer.files().filter((file) => !before.includes(file));
  assert.deepEqual(fresh, [`${paste.name}-640x400-original.png`, `${paste.name}-640x400.png`]);
  // Small images are not resized, and the original is kept byte for byte.
  assertSameBytes(readFileSync(viewer.path(fresh[0] ?? "")), blank);
  assert.ok(pngFacts(viewer.path(fresh[1] ?? "")).bytes <= blank.length);
  const token = await withToken();
  const now = async () =>
    (await (await fetch(`${viewer.url}/screenshot-paste/${paste.id}`, { headers: token })).json()) as {
      status: string;
      name: string;
    };
  await until(async () => (await now()).status === "named", "naming has finished");
  assert.equal((await now()).name, paste.name);
});

test("uploads without the page's token, from a foreign origin, or for another project are refused, and nothing is saved", async () => {
  await using other = await startViewer();
  const before = viewer.files();
  const code = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];
  const good = await withToken();
  const foreign = { "x-viewer-token": await other.token() };
  assert.deepEqual(await code(await upload(picture)), [401, "page-token-needed"]);
  assert.deepEqual(await code(await upload(picture, { "x-viewer-token": "v1.nonsense" })), [401, "page-token-wrong"]);
  assert.deepEqual(await code(await upload(picture, foreign)), [403, "other-project"]);
  for (const origin of ["https://evil.example", "http://localhost:1", other.pages]) {
    assert.deepEqual(await code(await upload(picture, { ...good, origin })), [403, "foreign-page"], origin);
  }
  assert.deepEqual(viewer.files(), before);
});

test("a page of another site cannot upload, even with a token", async () => {
  await using elsewhere = await serveFrame(() => "about:blank");
  await using seen = await visit(browser);
  await seen.page.goto(elsewhere.url);
  const before = viewer.files();
  const outcome = await seen.page.evaluate(
    async ([url, token]) => {
      try {
        const headers = { "x-viewer-token": token ?? "", "content-type": "image/png" };
        return (await fetch(`${url}/screenshot-paste`, { method: "POST", headers, body: "x" })).status;
      } catch {
        return "refused by the browser";
      }
    },
    [viewer.url, await viewer.token()],
  );
  assert.equal(outcome, "refused by the browser");
  assert.deepEqual(viewer.files(), before);
});
