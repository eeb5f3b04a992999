import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AxeBuilder } from "@axe-core/playwright";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser, type Visit, visit } from "../support/browser.ts";
import { isTooWide, NARROW } from "../support/narrow.ts";
import { until } from "../support/processes.ts";
import { type RunningViewer, startViewer } from "../support/viewer.ts";

export type PageBench = {
  browser: Browser;
  viewer: RunningViewer;
  /** Gives the names that a test wants, when it wants them. */
  namer: Namer;
  /** A viewer that asks the namer. */
  named: RunningViewer;
  /** One window for all tests: each loads the page again, which takes a fifth of the time of a new window. */
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

/** The page in a window of its own. */
export async function openPastePage(
  browser: Browser,
  viewer: Pick<RunningViewer, "pages">,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const seen = await openWindow(browser, options);
  await loadPastePage(seen.page, viewer);
  return seen;
}

/** The page in the window of all tests, as new. */
export async function showPastePage({ window }: PageBench, viewer: Pick<RunningViewer, "pages">): Promise<Visit> {
  const { page, complaints } = window;
  complaints.length = 0;
  await page.bringToFront();
  await loadPastePage(page, viewer);
  return { page, complaints, [Symbol.asyncDispose]: () => page.unrouteAll({ behavior: "wait" }) };
}

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

/** What axe finds depends on colours, or on what a narrow window shows, by these rules only. */
const RULES_OF_A_LOOK = [
  "color-contrast",
  "link-in-text-block",
  "scrollable-region-focusable",
  "button-name",
  "link-name",
  "label",
];

/** Not one violation, and nothing to scroll sideways. */
export async function assertSound(page: Page, what: string, rules?: string[]): Promise<void> {
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  assert.deepEqual(told, [], what);
  assert.equal(await isTooWide(page), false, `${what} scrolls sideways`);
}

/** One state in the looks between which a window can change: every rule once, and what a look can break in each. */
export async function assertSoundInEveryLook(page: Page, state: string): Promise<void> {
  await assertSound(page, `${state}, light`);
  const wide = page.viewportSize() ?? assert.fail("a window without a size");
  await page.setViewportSize(NARROW.viewport);
  await page.emulateMedia({ colorScheme: "dark" });
  await endTransitions(page);
  await assertSound(page, `${state}, dark and as narrow as can be`, RULES_OF_A_LOOK);
  await page.setViewportSize(wide);
  await page.emulateMedia({ colorScheme: "light", forcedColors: "active" });
  await endTransitions(page);
  await assertSound(page, `${state}, in colours of one's own`, RULES_OF_A_LOOK);
  await page.emulateMedia({ colorScheme: null, forcedColors: null });
}

/** Half-way between two looks a colour is neither. */
const endTransitions = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await new Promise(requestAnimationFrame);
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  });

export type Namer = Awaited<ReturnType<typeof startNamer>>;

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
