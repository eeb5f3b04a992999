import type { Page } from "playwright-core";

/** The narrowest window that must not scroll horizontally (WCAG 2.2, 1.4.10). */
export const NARROW = { viewport: { width: 320, height: 640 } };

export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
