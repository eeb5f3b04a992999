import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { shotOf } from "./browser.ts";

/** The guides show panels at this size. */
const SIZE = { width: 700, height: 680 };
/** Canvases are drawn again at their new size, plots a few times a second. */
const DRAWN_MS = 1_000;

/**
 * The pictures of the guides, made by the tests of what they show: with PICTURES=docs/images/panels in the environment, each is
 * written there.
 */
export async function keepPicture(page: Page, part: string, name: string, height = SIZE.height): Promise<void> {
  const folder = process.env.PICTURES;
  const before = page.viewportSize();
  if (folder === undefined || before === null) return;
  await page.setViewportSize({ ...SIZE, height });
  await page.waitForTimeout(DRAWN_MS);
  const picture = await shotOf(page.locator(part));
  await page.setViewportSize(before);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.png`), picture);
}
