import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "../support/browser.ts";
import { copyPicture, copyText } from "../support/clipboard.ts";
import { until } from "../support/processes.ts";
import { pictureWithText } from "../support/viewer.ts";
import {
  focusOf,
  newFilesOf,
  type PageBench,
  showNamedPaste,
  smallPicture,
  tileOf,
  untilPairOfSize,
} from "./page-bench.ts";

/** Only with `isMobile` Chromium says that there is no mouse. */
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const FOR_KEYBOARD_AND_MOUSE = /\b(ctrl|press|drop|click)\b/i;

/** The grid of screenshots with its search, and the page on a phone. */
export function testPageSearch(bench: () => PageBench): void {
  test("a search finds words that were read in a picture, marks them, and nothing is shown twice", async () => {
    await using seen = await showNamedPaste(bench(), "bench-seven", pictureWithText("Torque wrench log"));
    const { page } = seen;
    const found = tileOf(page, "Search results", "bench-seven");
    assert.equal(await tileOf(page, "All screenshots", "bench-seven").count(), 0, "it is shown above the grid");
    assert.equal(await page.locator("#result img").count(), 1);

    await page.locator("#strip").focus();
    await page.keyboard.press("/");
    assert.equal(await focusOf(page), "search");
    await page.keyboard.type("WRENCH torque");
    // The first word alone finds it, too.
    await found.locator("mark").getByText("Torque wrench", { exact: true }).waitFor();
    assert.equal(await page.locator("#result").isVisible(), false, "the open screenshot makes room");
    const said = page.locator("#said");
    await until(async () => (await said.textContent()) === "1 found for WRENCH torque", "the number is read aloud");
    const names = await page.locator("[data-do=show]").allInnerTexts();
    assert.equal(new Set(names).size, names.length, "none of those taken before is listed twice");

    await found.getByRole("button", { name: "bench-seven", exact: true }).press("Enter");
    await page.locator("#optimized").getByText("screenshots/sp/bench-seven-1000x400.png").waitFor();
    assert.deepEqual([await found.count(), await focusOf(page)], [0, "strip"]);

    const field = page.getByRole("searchbox", { name: "Search names and text in pictures" });
    await field.fill("wrench nowhere");
    await page.getByText("Nothing found for “wrench nowhere”").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Search results" }).waitFor({ state: "hidden" });
    assert.deepEqual([await focusOf(page), await field.inputValue()], ["search", ""]);
    assert.deepEqual(seen.complaints, []);
  });

  test("on a phone nothing is said about keys and dropping, a button pastes, and nothing scrolls sideways", async () => {
    const { browser, viewer } = bench();
    await using seen = await visit(browser, { ...PHONE, permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = seen;
    const files = newFilesOf(viewer);
    const assertFits = async () => {
      assert.doesNotMatch(await page.locator("body").innerText(), FOR_KEYBOARD_AND_MOUSE);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.viewport.width);
    };
    await page.goto(`${viewer.pages}/screenshot-paste`);
    await page.getByRole("heading", { name: "Add a screenshot" }).waitFor();
    await page.getByText("Choose a picture").waitFor();
    await assertFits();

    const button = page.getByRole("button", { name: "Paste", exact: true });
    await copyText(page, "only words");
    await button.tap();
    await page.getByRole("alert").getByText("Take the screenshot again, then add it here.").waitFor();
    await assertFits();

    await copyPicture(page, await smallPicture("#0a6", 70));
    await button.tap();
    await untilPairOfSize(files, "70x40");
    await page.getByText(/^Saved in/).waitFor();
    await assertFits();
    assert.deepEqual(seen.complaints, []);
  });
}
