import { type Browser, launch, type Page } from "puppeteer-core";
import { findFirefox } from "../../scripts/services/index.ts";
import { HANG_MS, until } from "./processes.ts";

/** Firefox, driven over WebDriver BiDi. All its pages and frames share one process: no frame is isolated. */
export async function openFirefox(): Promise<Browser> {
  return launch({
    ...{ browser: "firefox", executablePath: await findFirefox(), headless: true },
    ...{ timeout: HANG_MS, protocolTimeout: HANG_MS, defaultViewport: { width: 1_400, height: 900 } },
  });
}

/** A page of its own profile: it shares no cookies with others. */
export async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.bringToFront();
  page.setDefaultTimeout(HANG_MS);
  return page;
}

/** Waits until the page shows this text. */
export const shows = (page: Page, words: string): Promise<void> =>
  until(async () => {
    // A page that is being replaced has no text.
    const text = await page.evaluate(() => document.body.innerText).catch(() => "");
    return text.includes(words);
  }, `the page shows "${words}"`);

export const press = (page: Page, name: string): Promise<void> => page.locator(`button::-p-text(${name})`).click();

/** Types into the field with this label. */
export async function fill(page: Page, label: string, text: string): Promise<void> {
  await page.locator(`::-p-aria([name="${label}"][role="textbox"])`).fill(text);
}
