import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import { openBrowser, type Visit, visit, visitIn } from "../support/browser.ts";
import { copyPicture, pressPaste } from "../support/clipboard.ts";
import { axeViolations } from "../support/looks.ts";
import { isTooWide, NARROW } from "../support/narrow.ts";
import { until } from "../support/processes.ts";
import { pictureWithoutText, type RunningViewer, startViewer } from "../support/viewer.ts";

export type PageBench = {
  browser: Browser;
  viewer: RunningViewer;
  /** Lets a test decide when a name arrives, and which. */
  namer: Namer;
  /** A viewer that uses the namer. */
  named: RunningViewer;
  /** Shared by all tests: reloading the page takes a fifth of the time of a new window. */
  window: Visit;
};

export async function startPageBench(): Promise<PageBench & AsyncDisposable> {
  const browser = await openBrowser();
  const namer = await startNamer();
  const [viewer, named] = await Promise.all([startViewer(), startViewer(namer.env)]);
  return {
    ...{ browser, viewer, namer, named },
    window: await openWindow(browser),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await Promise.all([viewer, named].map((one) => one[Symbol.asyncDispose]()));
      await namer[Symbol.asyncDispose]();
    },
  };
}

const openWindow = (browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> =>
  visit(browser, { permissions: ["clipboard-read", "clipboard-write"], ...options });

async function loadPastePage(page: Page, { pages }: Pick<RunningViewer, "pages">): Promise<void> {
  await page.goto(`${pages}/screenshot-paste?title=Bench%204`);
  await page.getByRole("heading", { name: /to paste/ }).waitFor();
}

/** Opens the page in a new window. */
export async function openPastePage(
  browser: Browser,
  viewer: Pick<RunningViewer, "pages">,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const seen = await openWindow(browser, options);
  await loadPastePage(seen.page, viewer);
  return seen;
}

/** Reloads the page in the shared window. */
export async function showPastePage({ window }: PageBench, viewer: Pick<RunningViewer, "pages">): Promise<Visit> {
  const { page, complaints } = window;
  complaints.length = 0;
  await page.bringToFront();
  await loadPastePage(page, viewer);
  return { page, complaints, [Symbol.asyncDispose]: () => page.unrouteAll({ behavior: "wait" }) };
}

/** Opens the page in another window of the same browser profile. `prepare` runs before the page loads. */
export async function openSecondWindow(
  { window }: PageBench,
  viewer: Pick<RunningViewer, "pages">,
  prepare?: (page: Page) => Promise<unknown>,
): Promise<Visit> {
  const seen = await visitIn(window.page.context());
  await prepare?.(seen.page);
  await loadPastePage(seen.page, viewer);
  return seen;
}

export async function paste(page: Page, picture: Buffer | Promise<Buffer>): Promise<void> {
  await copyPicture(page, await picture);
  await pressPaste(page);
}

export const nameField = (page: Page): Locator => page.getByLabel("Name", { exact: true });

/** A screenshot in the grid. */
export const tileOf = (page: Page, region: string, name: string): Locator =>
  page.getByRole("region", { name: region }).getByRole("listitem").filter({ hasText: name });

/** 64 × 40 pixels without text: reading text takes a second, and every load of the page makes thumbnails. */
export const smallPicture = (background = "#27c", width = 64, height = 40): Promise<Buffer> =>
  pictureWithoutText(background, width, height);

/** Shows the page with a new paste that the namer has named. */
export async function showNamedPaste(bench: PageBench, name: string, picture = smallPicture()) {
  const seen = await showPastePage(bench, bench.named);
  const files = newFilesOf(bench.named);
  await paste(seen.page, picture);
  await bench.namer.name(name);
  await untilOnly(files, name);
  await untilNamed(seen.page);
  return { ...seen, files, name: nameField(seen.page) };
}

/** Returns a function that lists the files added since this call. */
export function newFilesOf(viewer: RunningViewer): () => string[] {
  const before = viewer.files();
  return () => viewer.files().filter((file) => !before.includes(file));
}

export const untilNamed = (page: Page): Promise<void> => page.getByText(/^Saved and named in/).waitFor();

export const pairOf = (files: readonly string[], name: string): string[] =>
  files.filter((file) => file.startsWith(`${name}-`) && /^\d+x\d+(-original)?\.png$/.test(file.slice(name.length + 1)));

/** For images without a name. */
export const untilPairOfSize = (files: () => string[], size: string): Promise<void> =>
  untilFiles(
    files,
    () => files().filter((file) => file.replace("-original", "").endsWith(`-${size}.png`)).length === 2,
    size,
  );

export const untilPair = (files: () => string[], name: string): Promise<void> =>
  untilFiles(files, () => pairOf(files(), name).length === 2, name);

/** During a rename the files exist under both names. */
export const untilOnly = (files: () => string[], name: string): Promise<void> =>
  untilFiles(files, () => pairOf(files(), name).length === 2 && files().length === 2, name);

const untilFiles = (files: () => string[], isThere: () => boolean, name: string): Promise<void> =>
  until(isThere, `both files of ${name}`).catch((error: Error) => {
    throw new Error(`${error.message}; found: ${files().join(", ")}`);
  });

/** The focused element's id, label or text. */
export const focusOf = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    return at?.id || at?.getAttribute("aria-label") || at?.textContent?.trim() || "nothing";
  });

/** Presses Tab until `wanted` has the focus. */
export async function tabTo(page: Page, wanted: string): Promise<void> {
  const passed: string[] = [];
  while ((await focusOf(page)) !== wanted) {
    assert.ok(passed.length < 30, `${wanted} was not reached with Tab: ${passed.join(", ")}`);
    await page.keyboard.press("Tab");
    passed.push(await focusOf(page));
  }
}

/** The axe rules whose result depends on colours or on the narrow layout. */
const LOOK_RULES = [
  "color-contrast",
  "link-in-text-block",
  "scrollable-region-focusable",
  "button-name",
  "link-name",
  "label",
];

/** No axe violations and no horizontal scrolling. */
export async function assertAccessible(page: Page, what: string, rules?: string[]): Promise<void> {
  const violations = await axeViolations(page, { rules });
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  assert.deepEqual(found, [], what);
  assert.equal(await isTooWide(page), false, `${what} scrolls horizontally`);
}

/**
 * Every rule once, then in each look that an open window can switch to only the rules that depend on it. Forced colours
 * come from the system, so `npm test` tries them only where a test asks for them.
 */
export async function assertAccessibleInEveryLook(
  page: Page,
  state: string,
  hasForcedColours = isLongRun,
): Promise<void> {
  await assertAccessible(page, `${state}, light`);
  const wide = page.viewportSize() ?? assert.fail("the window has no fixed size");
  await page.setViewportSize(NARROW.viewport);
  await page.emulateMedia({ colorScheme: "dark" });
  await endTransitions(page);
  await assertAccessible(page, `${state}, dark and narrow`, LOOK_RULES);
  await page.setViewportSize(wide);
  if (hasForcedColours) {
    await page.emulateMedia({ colorScheme: "light", forcedColors: "active" });
    await endTransitions(page);
    await assertAccessible(page, `${state}, forced colours`, LOOK_RULES);
  }
  await page.emulateMedia({ colorScheme: null, forcedColors: null });
}

/** Or axe could measure a colour in between. */
const endTransitions = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await new Promise(requestAnimationFrame);
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  });

export type Namer = Awaited<ReturnType<typeof startNamer>>;

/** A fake model that answers only when a test calls `name`. */
export async function startNamer() {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    held.push(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    env: { NAMER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, NAMER_MODEL: "bench" },
    /** Answers the oldest pending request, waiting for one if needed. */
    async name(words: string): Promise<void> {
      await until(() => held.length > 0, "a naming request");
      const body = JSON.stringify({ choices: [{ message: { content: words } }] });
      held.shift()?.writeHead(200, { "content-type": "application/json" }).end(body);
    },
    /** Fails the oldest pending request: then the name comes from the text. */
    async fail(): Promise<void> {
      await until(() => held.length > 0, "a naming request");
      held.shift()?.writeHead(500).end();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const WAIT_S = 120;

/** Resolves once the server waits, so that no later paste is missed. */
export async function waitForPaste(client: Client): Promise<{ found: Promise<CallToolResult> }> {
  const waits = Promise.withResolvers<void>();
  const call = { name: "av_screenshot_latest", arguments: { wait_seconds: WAIT_S } };
  const found = client.callTool(call, { timeout: WAIT_S * 1_000, onprogress: () => waits.resolve() });
  await Promise.race([waits.promise, found]);
  return { found };
}
