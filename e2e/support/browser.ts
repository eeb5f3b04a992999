import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  errors,
  type Locator,
  type Page,
} from "playwright-core";
import { chromiumFlags, findChromium, findHeadlessShell } from "../../scripts/services/index.ts";
import { HANG_MS } from "./processes.ts";

/** On a busy machine Chromium sometimes fails to capture a page, and succeeds a moment later. */
const NOT_DRAWN_YET = /Unable to capture screenshot/;
const PICTURE_TRIES = 5;

export type Visit = AsyncDisposable & {
  page: Page;
  /** Console errors, failed loads, and requests to other machines. */
  complaints: string[];
};

export async function openBrowser(...more: string[]): Promise<Browser> {
  // Let contexts share a renderer: one process per context takes a fifth of such a test's time.
  return launch(await findHeadlessShell(), "--renderer-process-limit=1", ...more);
}

/** A browser whose user shares the screen when a page asks. Not a real screen: Chromium provides a test video. */
export const SHARED_SCREEN: readonly string[] = [
  "--use-fake-ui-for-media-stream",
  "--use-fake-device-for-media-stream=display-media-type=monitor",
];

/** Full Chromium instead of the headless shell: for permissions, windows and timing. */
export async function openWholeBrowser(): Promise<Browser> {
  return launch(await findChromium());
}

export function launch(executablePath: string, ...more: string[]): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...chromiumFlags, ...more], timeout: HANG_MS });
}

/** A context whose timeouts only catch hangs. */
export async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(HANG_MS);
  return context;
}

export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await newContext(browser, options);
  return { ...(await visitIn(context)), [Symbol.asyncDispose]: () => context.close() };
}

/** Another page of a context. */
export async function visitIn(context: BrowserContext): Promise<Visit> {
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
  return { page, complaints, [Symbol.asyncDispose]: () => page.close() };
}

const SHOWN_CHARS = 400;

/** For a test that failed: what the window shows, as far as it answers. */
export async function describeVisit({ page, complaints }: Visit): Promise<string> {
  const text = await page.locator("body").innerText({ timeout: 5_000 }).catch(String);
  return [page.url(), text.replaceAll(/\s+/g, " ").slice(0, SHOWN_CHARS), ...complaints].join("\n");
}

export async function shotOf(seen: Page | Locator): Promise<Buffer> {
  for (let tries = 1; ; tries++) {
    try {
      return await seen.screenshot();
    } catch (error) {
      if (tries === PICTURE_TRIES || !NOT_DRAWN_YET.test(String(error))) throw error;
    }
  }
}

/** Presses a button that is not always there, and may go at any moment. */
export async function pressIfThere(button: Locator): Promise<void> {
  if ((await button.count()) === 0) return;
  await button.press("Enter", { timeout: 5_000 }).catch((error: unknown) => {
    if (!(error instanceof errors.TimeoutError)) throw error;
  });
}

/** Switches the window to another person's cookies, or to none. */
export async function changePerson(page: Page, { storageState }: BrowserContextOptions = {}): Promise<void> {
  // The open page would make requests and log errors. A blank page would need a new renderer.
  if (page.url() !== "about:blank") await page.goto(new URL("/health", page.url()).href);
  const context = page.context();
  await context.clearCookies();
  if (typeof storageState === "object") await context.addCookies(storageState.cookies);
}
