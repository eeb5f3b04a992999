import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { chromiumFlags, findChromium, findHeadlessShell } from "../../scripts/services/index.ts";
import { PATIENCE_MS } from "./processes.ts";

/** Now and then Chromium has no picture of a page to give on a busy machine, and has it a moment later. */
const NOT_DRAWN_YET = /Unable to capture screenshot/;
const PICTURE_TRIES = 5;

export type Visit = AsyncDisposable & {
  page: Page;
  /** What the page complained about, and what it asked of other origins. */
  complaints: string[];
};

export async function openBrowser(): Promise<Browser> {
  // Contexts share a renderer where their sites allow it: a process per context is a fifth of what such a test costs.
  return launch(await findHeadlessShell(), "--renderer-process-limit=1");
}

/** For what pages ask of a browser rather than of its engine, as permissions and windows, and for how fast it is. */
export async function openWholeBrowser(): Promise<Browser> {
  return launch(await findChromium());
}

export function launch(executablePath: string, ...more: string[]): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...chromiumFlags, ...more], timeout: PATIENCE_MS });
}

/** A context whose waits end only when something hangs. */
export async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** A page that remembers console errors, failed loads and requests to anywhere but this machine. */
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await newContext(browser, options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isHere = hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "127.0.0.1";
    const isLocal = protocol === "data:" || protocol === "blob:" || isHere;
    if (!isLocal) complaints.push(`foreign request: ${request.url()}`);
  });
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** What it looks like, as PNG. */
export async function shotOf(seen: Page | Locator): Promise<Buffer> {
  for (let tries = 1; ; tries++) {
    try {
      return await seen.screenshot();
    } catch (error) {
      if (tries === PICTURE_TRIES || !NOT_DRAWN_YET.test(String(error))) throw error;
    }
  }
}

/** The same window with the cookies of another person, or without any. */
export async function changePerson(page: Page, { storageState }: BrowserContextOptions = {}): Promise<void> {
  // Whatever is open would ask for something, and complain. A blank page would cost a new renderer.
  if (page.url() !== "about:blank") await page.goto(new URL("/health", page.url()).href);
  const context = page.context();
  await context.clearCookies();
  if (typeof storageState === "object") await context.addCookies(storageState.cookies);
}
