import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/processes.ts";
import {
  focusOf,
  nameField,
  openSecondWindow,
  type PageBench,
  paste,
  showNamedPaste,
  showPastePage,
  smallPicture,
  tabTo,
  untilOnly,
  untilPair,
} from "./page-bench.ts";

/** A name that arrives while the user is working. */
export function testPageNaming(bench: () => PageBench): void {
  test("initial, before naming: sp-<timestamp>-<width>x<height>.png, copied as it is; a later name does not move the focus", async () => {
    const { named: viewer, namer } = bench();
    await using seen = await showPastePage(bench(), viewer);
    const { page } = seen;
    await paste(page, smallPicture());
    await page.getByText(/^Saved in .*, naming …$/).waitFor();
    const path = page.locator("#optimized").getByText(/^screenshots\/sp\/sp-\d{8}-\d{6}-\d{3}-64x40\.png$/);
    await path.waitFor();
    await tabTo(page, "Copy path");
    await namer.name("inverter bridge wiring");
    await untilPair(viewer.files, "inverter-bridge-wiring");
    await page.getByText(/^Saved and named in/).waitFor();
    await page.locator("#optimized").getByText("screenshots/sp/inverter-bridge-wiring-64x40.png").waitFor();
    assert.equal(await nameField(page).inputValue(), "inverter-bridge-wiring");
    assert.equal(await focusOf(page), "Copy path");
    assert.deepEqual(seen.complaints, []);
  });

  test("a typed name stays and wins, whatever name arrives later and whatever is pasted elsewhere", async () => {
    const { named: viewer, namer } = bench();
    await using seen = await showPastePage(bench(), viewer);
    const { page } = seen;
    await paste(page, smallPicture());
    await page.getByText(/naming …$/).waitFor();
    await tabTo(page, "name");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("my heat");
    await namer.name("heat sink drawing");
    await page.getByText("It was just named heat-sink-drawing. Yours will replace that.").waitFor();

    await using other = await openSecondWindow(bench(), viewer);
    await paste(other.page, smallPicture("#b52"));
    await page
      .getByRole("listitem")
      .filter({ hasText: /sp-\d{8}/ })
      .waitFor();
    await page.bringToFront();
    await page.keyboard.type(" sink");
    assert.deepEqual([await focusOf(page), await nameField(page).inputValue()], ["name", "my heat sink"]);
    await page.keyboard.press("Enter");
    await untilPair(viewer.files, "my-heat-sink");
    await namer.name("fan curve");
    await untilPair(viewer.files, "fan-curve");
    await until(async () => (await nameField(page).inputValue()) === "my-heat-sink", "its name");
    assert.deepEqual([...seen.complaints, ...other.complaints], []);
  });

  test("text typed while a rename is in progress also stays", async () => {
    await using seen = await showNamedPaste(bench(), "battery-pack-layout");
    const { page, files, name } = seen;
    const typedOn = Promise.withResolvers<void>();
    await page.route(/screenshot-paste\/\d{8}-/, async (route) => {
      if (route.request().method() === "PATCH") await typedOn.promise;
      await route.continue();
    });
    await name.fill("pack");
    await page.keyboard.press("Enter");
    await page.keyboard.type(" of six");
    typedOn.resolve();
    await untilOnly(files, "pack");
    await page.getByText("Renamed both files").waitFor();
    assert.equal(await name.inputValue(), "pack of six");
    await page.keyboard.press("Enter");
    await untilOnly(files, "pack-of-six");
    assert.deepEqual(seen.complaints, []);
  });
}
