import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type Visit, visit } from "./browser.ts";
import { until } from "./processes.ts";

/** A window whose clock only moves when the test advances it. */
export async function visitWithClock(
  browser: Browser,
  nowMs: number,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const seen = await visit(browser, options);
  await seen.page.clock.install({ time: nowMs });
  await seen.page.clock.pauseAt(nowMs + 1_000);
  return seen;
}

export const advanceSeconds = (page: Page, count: number): Promise<void> => page.clock.runFor(count * 1_000);

/** Advances the clock, then continues in small steps until the list has grown. */
export async function advanceUntilMore(
  page: Page,
  list: readonly unknown[],
  advance = () => advanceSeconds(page, 1),
  stepMs = 1,
): Promise<void> {
  const before = list.length;
  await advance();
  await until(async () => {
    if (list.length === before) await page.clock.runFor(stepMs);
    return list.length > before;
  }, "one more in the list");
  // A later request was answered, so the earlier one was too.
  await page.evaluate(async () => (await fetch("/provider")).text());
}
