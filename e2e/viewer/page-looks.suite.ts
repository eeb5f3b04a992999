import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import { copyText, pressPaste } from "../support/clipboard.ts";
import { LOOKS, type Look } from "../support/looks.ts";
import { pictureWithText, startViewer } from "../support/viewer.ts";
import {
  assertAccessible,
  assertAccessibleInEveryLook,
  type Namer,
  nameField,
  openPastePage,
  type PageBench,
  paste,
  showPastePage,
  smallPicture,
  startNamer,
  untilNamed,
} from "./page-bench.ts";

const LOOKS_HERE: readonly Look[] = [
  ...LOOKS,
  // A 1280 px window at 200 % zoom.
  { name: "at 200 %", options: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 } },
  { name: "forced colours", options: { forcedColors: "active" } },
];

const WIDE_NAME = "a name as long as names may be of sixty characters altogether";

/** The state that shows the most parts of the page at once. */
const MOST_PARTS = "an invalid name and a fault";

export function testPageLooks(bench: () => PageBench): void {
  // page-faults.suite.ts checks the state with unsaved images.
  test("every state of the page, in every look: no axe violations, no horizontal scrolling", async () => {
    await using seen = await showPastePage(bench(), bench().named);
    await visitStates(seen.page, bench().namer, (state) =>
      assertAccessibleInEveryLook(seen.page, state, isLongRun || state === MOST_PARTS),
    );
  });

  for (const { name, options } of isLongRun ? LOOKS_HERE : []) {
    test(`every state of a page opened in one look, with all axe rules: ${name}`, async () => {
      await using namer = await startNamer();
      await using viewer = await startViewer(namer.env);
      await using seen = await openPastePage(bench().browser, viewer, options);
      const { page } = seen;
      const check = (state: string) => assertAccessible(page, `${state}, ${name}`);
      await visitStates(page, namer, check);
      await viewer.kill();
      await paste(page, pictureWithText("Kept"));
      await page.getByRole("button", { name: "Try again" }).waitFor();
      await page.getByText("Connection lost, trying again").waitFor();
      await check("unsaved while the viewer is down");
    });
  }
}

async function visitStates(page: Page, namer: Namer, check: (state: string) => Promise<void>): Promise<void> {
  await check("ready");

  await paste(page, pictureWithText("Wiring of the test rack", 1_600, 640));
  await page.getByText(/naming …$/).waitFor();
  await check("naming");
  await namer.name(WIDE_NAME);
  await untilNamed(page);
  await paste(page, smallPicture());
  await page.getByText(/naming …$/).waitFor();
  await namer.name("second-rack");
  await untilNamed(page);
  await page.getByRole("listitem").locator("img[src^='blob:']").waitFor();
  await check("result, with the grid");

  await nameField(page).fill("???");
  await nameField(page).press("Enter");
  await page.locator("#name-fault").waitFor();
  await copyText(page, "words");
  await page.locator("#strip").focus();
  await pressPaste(page);
  await page
    .getByRole("alert")
    .getByText(/^Nothing was saved/)
    .waitFor();
  assert.equal(await page.locator("#name-fault").isVisible(), true);
  await check(MOST_PARTS);
  await page.keyboard.press("Escape");

  await page.getByRole("searchbox").fill("wiring");
  await page.getByRole("region", { name: "Search results" }).locator("mark").waitFor();
  await check("found");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "second-rack", exact: true }).click();

  await page.getByRole("button", { name: "Undo paste" }).click();
  await page.getByRole("button", { name: "Put back" }).waitFor();
  await check("removed");
}
