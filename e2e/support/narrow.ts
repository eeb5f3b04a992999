import type { Page } from "playwright-core";

/** The narrowest window that must not scroll horizontally (WCAG 2.2, 1.4.10). */
export const NARROW = { viewport: { width: 320, height: 640 } };

/** A page that has just become narrow may draw once more before it fits, which takes its time on a busy machine. */
const FITS_WITHIN_MS = 60_000;

export const isTooWide = (page: Page): Promise<boolean> =>
  page
    .waitForFunction(() => document.documentElement.scrollWidth <= innerWidth, undefined, { timeout: FITS_WITHIN_MS })
    .then(
      () => false,
      () => true,
    );
