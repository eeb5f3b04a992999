import { test } from "node:test";
import type { Page } from "playwright-core";
import { copyPicture, copyText, pressPaste } from "../support/clipboard.ts";
import { inLongRun, LOOKS, type Look } from "../support/looks.ts";
import { startViewer } from "../support/viewer.ts";
import { assertSound, openPastePage, type PageBench, pictureSaying, startNamer } from "./page-bench.ts";

const LOOKS_HERE: readonly Look[] = [
  ...LOOKS,
  // What a window of 1280 px has at 200 %.
  ...inLongRun({ name: "at 200 %", options: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 } }),
  { name: "in colours of one's own", options: { forcedColors: "active" } },
];

const WIDE_NAME = "a name as long as names may be of sixty characters altogether";

/** Every state of the page, in every way it must look right. */
export function testPageLooks(bench: () => PageBench): void {
  for (const { name, options } of LOOKS_HERE) {
    test(`every state of the page has its names and contrasts, and nothing to scroll sideways: ${name}`, async () => {
      const { browser } = bench();
      await using namer = await startNamer();
      await using viewer = await startViewer(namer.env);
      await using seen = await openPastePage(browser, viewer, options);
      const { page } = seen;
      const sound = (state: string) => assertSound(page, `${state}, ${name}`);
      await sound("ready");

      await copyPicture(page, await pictureSaying(browser, "Wiring of the test rack", 2_000, 800));
      await pressPaste(page);
      await page.getByText(/naming …$/).waitFor();
      await sound("naming");
      await namer.name(WIDE_NAME);
      await page.getByText(/^Saved and named in/).waitFor();
      await page.getByRole("listitem").locator("img[src^='blob:']").waitFor();
      await sound("result, with recent ones");

      await giveBadName(page);
      await sound("a name that cannot be");
      await copyText(page, "words");
      await page.locator("#strip").focus();
      await pressPaste(page);
      await page
        .getByRole("alert")
        .getByText(/^Nothing was saved/)
        .waitFor();
      await sound("fault");
      await page.keyboard.press("Escape");

      await page.getByRole("button", { name: "Undo paste" }).click();
      await page.getByRole("button", { name: "Put back" }).waitFor();
      await sound("removed");

      await viewer.kill();
      await copyPicture(page, await pictureSaying(browser, "Kept"));
      await pressPaste(page);
      await page.getByRole("button", { name: "Try again" }).waitFor();
      await page.getByText("Connection lost, trying again").waitFor();
      await sound("kept while the viewer is away");
    });
  }
}

async function giveBadName(page: Page): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill("???");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  await page.locator("#name-fault").waitFor();
}
