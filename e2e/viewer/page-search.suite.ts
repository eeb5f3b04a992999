import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/processes.ts";
import { pictureWithText } from "../support/viewer.ts";
import { focusOf, type PageBench, showNamedPaste, tileOf } from "./page-bench.ts";

/** The grid of screenshots with its search. */
export function testPageSearch(bench: () => PageBench): void {
  test("a search finds words that were read in a picture, marks them, and nothing is shown twice", async () => {
    await using seen = await showNamedPaste(bench(), "bench-seven", pictureWithText("Torque wrench log"));
    const { page } = seen;
    const found = tileOf(page, "Found", "bench-seven");
    assert.equal(await tileOf(page, "All screenshots", "bench-seven").count(), 0, "it is shown above the grid");
    assert.equal(await page.locator("#result img").count(), 1);

    await page.locator("#strip").focus();
    await page.keyboard.press("/");
    assert.equal(await focusOf(page), "search");
    await page.keyboard.type("WRENCH torque");
    await found.waitFor();
    assert.equal(await found.locator("mark").innerText(), "Torque wrench");
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
    await page.getByRole("region", { name: "Found" }).waitFor({ state: "hidden" });
    assert.deepEqual([await focusOf(page), await field.inputValue()], ["search", ""]);
    assert.deepEqual(seen.complaints, []);
  });
}
