import { test } from "node:test";
import type { Page } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import { copyPicture, copyText, pressPaste } from "../support/clipboard.ts";
import { LOOKS, type Look } from "../support/looks.ts";
import { pictureSaying, startViewer } from "../support/viewer.ts";
import {
  assertSound,
  assertSoundInEveryLook,
  type Namer,
  openPastePage,
  type PageBench,
  showPastePage,
  startNamer,
} from "./page-bench.ts";

const LOOKS_HERE: readonly Look[] = [
  ...LOOKS,
  // What a window of 1280 px has at 200 %.
  { name: "at 200 %", options: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 } },
  { name: "in colours of one's own", options: { forcedColors: "active" } },
];

const WIDE_NAME = "a name as long as names may be of sixty characters altogether";

/** Every state of the page, in every way it must look right. */
export function testPageLooks(bench: () => PageBench): void {
  // Kept images are a state of the test of a viewer that is away.
  test("every state of the page has its names and contrasts, and nothing to scroll sideways, in each look", async () => {
    await using seen = await showPastePage(bench(), bench().named);
    await passStates(seen.page, bench().namer, (state) => assertSoundInEveryLook(seen.page, state));
  });

  for (const { name, options } of isLongRun ? LOOKS_HERE : []) {
    test(`every state of a page opened in one look, by all rules: ${name}`, async () => {
      await using namer = await startNamer();
      await using viewer = await startViewer(namer.env);
      await using seen = await openPastePage(bench().browser, viewer, options);
      const { page } = seen;
      const sound = (state: string) => assertSound(page, `${state}, ${name}`);
      await passStates(page, namer, sound);
      await viewer.kill();
      await copyPicture(page, await pictureSaying("Kept"));
      await pressPaste(page);
      await page.getByRole("button", { name: "Try again" }).waitFor();
      await page.getByText("Connection lost, trying again").waitFor();
      await sound("kept while the viewer is away");
    });
  }
}

async function passStates(page: Page, namer: Namer, sound: (state: string) => Promise<void>): Promise<void> {
  await sound("ready");

  await copyPicture(page, await pictureSaying("Wiring of the test rack", 2_000, 800));
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
}

async function giveBadName(page: Page): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill("???");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  await page.locator("#name-fault").waitFor();
}
