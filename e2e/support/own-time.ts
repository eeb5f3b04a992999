import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type Visit, visit } from "./browser.ts";
import { until } from "./processes.ts";

/** A window whose time passes only when told. */
export async function visitInOwnTime(
  browser: Browser,
  nowMs: number,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const seen = await visit(browser, options);
  await seen.page.clock.install({ time: nowMs });
  await seen.page.clock.pauseAt(nowMs + 1_000);
  return seen;
}

export const passSeconds = (page: Page, count: number): Promise<void> => page.clock.runFor(count * 1_000);

/** Lets time pass, and then in small steps as much as it takes until there is one more. */
export async function passUntilMore(
  page: Page,
  list: readonly unknown[],
  pass = () => passSeconds(page, 1),
  stepMs = 1,
): Promise<void> {
  const before = list.length;
  await pass();
  await until(async () => {
    if (list.length === before) await page.clock.runFor(stepMs);
    return list.length > before;
  }, "one more");
  // What was asked is answered by now: another question of the page, asked after it, has been.
  await page.evaluate(async () => (await fetch("/provider")).text());
}
