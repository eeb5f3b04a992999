import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AxeBuilder } from "@axe-core/playwright";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type Visit, visit } from "../support/browser.ts";
import { isTooWide } from "../support/narrow.ts";
import { until } from "../support/processes.ts";
import { pictureOf, type RunningViewer } from "../support/viewer.ts";

export type PageBench = { browser: Browser; viewer: RunningViewer };

export async function openPastePage(
  browser: Browser,
  { pages }: Pick<RunningViewer, "pages">,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const seen = await visit(browser, { permissions: ["clipboard-read", "clipboard-write"], ...options });
  await seen.page.goto(`${pages}/screenshot-paste?title=Bench%204`);
  await seen.page.getByRole("heading", { name: /to paste/ }).waitFor();
  return seen;
}

/** A picture that says this, large and plain: its name is known, and soon found. */
export const pictureSaying = (browser: Browser, words: string, width = 1_000, height = 400): Promise<Buffer> =>
  pictureOf(
    browser,
    `<body style="margin:0;background:#fff"><h1 style="font:64px sans-serif;margin:40px">${words}</h1></body>`,
    width,
    height,
  );

/** What is new in the folder since now. */
export function newFilesOf(viewer: RunningViewer): () => string[] {
  const before = viewer.files();
  return () => viewer.files().filter((file) => !before.includes(file));
}

export const untilNamed = (page: Page): Promise<void> => page.getByText(/^Saved and named in/).waitFor();

/** The pair of this name, of which there is one. */
export const pairOf = (files: readonly string[], name: string): string[] =>
  files.filter((file) => file.startsWith(`${name}-`) && /^\d+x\d+(-original)?\.png$/.test(file.slice(name.length + 1)));

export const untilPair = (files: () => string[], name: string): Promise<void> =>
  untilThere(files, () => pairOf(files(), name).length === 2, name);

/** While it is renamed both names are there, never none. */
export const untilOnly = (files: () => string[], name: string): Promise<void> =>
  untilThere(files, () => pairOf(files(), name).length === 2 && files().length === 2, name);

const untilThere = (files: () => string[], isThere: () => boolean, name: string): Promise<void> =>
  until(isThere, `both files of ${name}`).catch((error: Error) => {
    throw new Error(`${error.message}; there is: ${files().join(", ")}`);
  });

/** What has the focus, by its id or by the words on it. */
export const focusOf = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    return at?.id || at?.getAttribute("aria-label") || at?.textContent?.trim() || "nothing";
  });

/** By Tab, as far as it takes. */
export async function tabTo(page: Page, wanted: string): Promise<void> {
  const passed: string[] = [];
  while ((await focusOf(page)) !== wanted) {
    assert.ok(passed.length < 30, `${wanted} is not reached by Tab: ${passed.join(", ")}`);
    await page.keyboard.press("Tab");
    passed.push(await focusOf(page));
  }
}

/** Not one violation, and nothing to scroll sideways. */
export async function assertSound(page: Page, what: string): Promise<void> {
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  const { violations } = await axe.analyze();
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  assert.deepEqual(told, [], what);
  assert.equal(await isTooWide(page), false, `${what} scrolls sideways`);
}

/** A model that names pictures when it is told to. */
export async function startNamer() {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    held.push(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    env: { NAMER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, NAMER_MODEL: "bench" },
    /** Answers whoever asked first, once somebody has. */
    async name(words: string): Promise<void> {
      await until(() => held.length > 0, "a picture to name");
      const body = JSON.stringify({ choices: [{ message: { content: words } }] });
      held.shift()?.writeHead(200, { "content-type": "application/json" }).end(body);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const WAIT_S = 120;

/** A client that waits for the next screenshot: from now on none is missed. */
export async function waitForPaste(client: Client): Promise<{ found: Promise<CallToolResult> }> {
  const waits = Promise.withResolvers<void>();
  const call = { name: "av_screenshot_latest", arguments: { wait_seconds: WAIT_S } };
  const found = client.callTool(call, { timeout: WAIT_S * 1_000, onprogress: () => waits.resolve() });
  await Promise.race([waits.promise, found]);
  return { found };
}
