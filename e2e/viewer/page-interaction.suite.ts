import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { copyPicture, copyText, pressPaste } from "../support/clipboard.ts";
import { until } from "../support/processes.ts";
import { pictureWithoutText, pictureWithText } from "../support/viewer.ts";
import {
  focusOf,
  nameField,
  newFilesOf,
  openSecondWindow,
  type PageBench,
  pairOf,
  paste,
  showNamedPaste,
  showPastePage,
  smallPicture,
  tabTo,
  tileOf,
  untilNamed,
  untilOnly,
  untilPair,
  untilPairOfSize,
} from "./page-bench.ts";

const clipboardText = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

const clipboardImage = async (page: Page): Promise<Buffer> =>
  Buffer.from(
    await page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const bytes = new Uint8Array(await ((await item?.getType("image/png")) ?? new Blob()).arrayBuffer());
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    }),
    "base64",
  );

/** Drops files onto the page, like a file manager. */
async function dropFiles(page: Page, files: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await session.send("Input.dispatchDragEvent", { type, x: 300, y: 200, data });
  }
  await session.detach();
}

/** Using the page by keyboard and mouse. */
export function testPageInteraction(bench: () => PageBench): void {
  test("after naming <ai-name>-<width>x<height>.png: with the keyboard alone from the paste to a custom name and its path", async () => {
    const { named: viewer, namer } = bench();
    await using seen = await showPastePage(bench(), viewer);
    const { page } = seen;
    const files = newFilesOf(viewer);
    assert.equal(await focusOf(page), "drop", "the page has the focus from the start");
    await paste(page, pictureWithText("Belt conveyor schedule", 2_000, 800));
    await namer.fail();
    await untilNamed(page);
    await untilOnly(files, "belt-conveyor-schedule");
    assert.equal(await focusOf(page), "strip", "the focus is not lost when the drop area disappears");

    await page.keyboard.press("Tab");
    assert.equal(await focusOf(page), "Undo paste");
    await page.keyboard.press("Tab");
    assert.equal(await focusOf(page), "name");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Conveyor Bench_4.png");
    await page.keyboard.press("Enter");
    await untilOnly(files, "conveyor-bench-4");
    assert.deepEqual(files(), ["conveyor-bench-4-1568x627.png", "conveyor-bench-4-2000x800-original.png"]);
    assert.equal(await focusOf(page), "name");
    await until(async () => (await nameField(page).inputValue()) === "conveyor-bench-4", "the normalised name");

    await tabTo(page, "belt-conveyor-schedule");
    await page.keyboard.press("Space");
    await untilOnly(files, "belt-conveyor-schedule");
    // The files are renamed before the page is notified.
    const suggestion = page.getByRole("button", { name: "belt-conveyor-schedule", exact: true });
    await until(async () => (await suggestion.getAttribute("aria-pressed")) === "true", "the suggestion to be chosen");
    assert.equal(await focusOf(page), "belt-conveyor-schedule");

    await tabTo(page, "Copy path");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await clipboardText(page), "screenshots/sp/belt-conveyor-schedule-1568x627.png");
    assert.equal(await focusOf(page), "Copied");
    assert.deepEqual(seen.complaints, []);
  });

  test("max dimension 1568 px: Copy image puts the optimized picture on the clipboard", async () => {
    await using seen = await showNamedPaste(bench(), "wide-trace", pictureWithoutText("#27c", 2_400, 600));
    const { page } = seen;
    await copyText(page, "something else");
    await page.getByRole("button", { name: "Copy image" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const { width, height, format } = await sharp(await clipboardImage(page)).metadata();
    assert.deepEqual([format, width, height], ["png", 1_568, 392]);
    await page.locator("#original").getByRole("button", { name: "Copy path" }).click();
    await until(async () => /-2400x600-original\.png$/.test(await clipboardText(page)), "the original's path");
    assert.deepEqual(seen.complaints, []);
  });

  test("undo paste removes both files and offers to put them back; undo rename restores the previous name", async () => {
    await using seen = await showNamedPaste(bench(), "torque-sensor-drift");
    const { page, files, name } = seen;
    await name.fill("wrong");
    await page.getByRole("button", { name: "Rename both" }).click();
    await untilOnly(files, "wrong");
    await page.getByRole("button", { name: "Undo rename" }).focus();
    await page.keyboard.press("Enter");
    await untilOnly(files, "torque-sensor-drift");
    await page.getByText("Renamed both files").waitFor();
    // The files are renamed before the page is notified.
    await until(async () => (await name.inputValue()) === "torque-sensor-drift", "the previous name");
    await until(async () => (await focusOf(page)) === "name", "the focus moves away from the removed button");

    await page.getByRole("button", { name: "Undo paste" }).focus();
    await page.keyboard.press("Enter");
    await until(() => files().length === 0, "both removed");
    await page.getByText(/^Removed torque-sensor-drift-64x40\.png/).waitFor();
    assert.equal(await focusOf(page), "drop");
    await page.getByRole("button", { name: "Put back" }).click();
    await untilOnly(files, "torque-sensor-drift");
    await page.locator("#optimized").getByText("screenshots/sp/torque-sensor-drift-64x40.png").waitFor();
    assert.deepEqual(seen.complaints, []);
  });

  test("a paste in one window appears in the other, follows its renames, and disappears when removed", async () => {
    await using two = await openSecondWindow(bench(), bench().named);
    const tile = (name: string) => tileOf(two.page, "All screenshots", name);
    await using one = await showNamedPaste(bench(), "gyro-calibration-table");
    await tile("gyro-calibration-table").waitFor();
    await tile("gyro-calibration-table").locator("img[src^='blob:']").waitFor();
    await one.name.fill("gyro table");
    await one.page.keyboard.press("Enter");
    await tile("gyro-table").waitFor();
    assert.equal(await tile("gyro-calibration-table").count(), 0);
    await one.page.getByRole("button", { name: "Undo paste" }).click();
    await tile("gyro-table").waitFor({ state: "detached" });
    await one.page.getByRole("button", { name: "Put back" }).click();
    await tile("gyro-table").getByRole("button", { name: "Copy path of gyro-table" }).waitFor();
    assert.deepEqual([...one.complaints, ...two.complaints], []);
  });

  test("an image pasted into the name field becomes the next screenshot; pasted text goes into the name", async () => {
    await using seen = await showNamedPaste(bench(), "cable-harness-plan");
    const { page, files, name } = seen;
    await name.fill("");
    await copyText(page, "from the clipboard");
    await pressPaste(page);
    assert.equal(await name.inputValue(), "from the clipboard");
    assert.equal(await page.getByRole("alert").innerText(), "");

    await copyPicture(page, await smallPicture("#b52"));
    await name.focus();
    await pressPaste(page);
    await bench().namer.name("gear motor diagram");
    await untilPair(files, "gear-motor-diagram");
    await until(async () => (await name.inputValue()) === "gear-motor-diagram", "its name in the field");
    assert.equal(pairOf(files(), "cable-harness-plan").length, 2, "the first one is unchanged");
    await until(() => files().length === 4, "two pairs");
    assert.deepEqual(seen.complaints, []);
  });

  test("several files, dropped or chosen by keyboard, are each saved with their original", async (t) => {
    const { viewer } = bench();
    const folder = mkdtempSync(join(tmpdir(), "backplane-drop-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const write = async (width: number) => {
      const path = join(folder, `${width}.png`);
      writeFileSync(path, await smallPicture("#27c", width));
      return path;
    };
    const dropped = [await write(40), await write(41)];
    await using seen = await showPastePage(bench(), viewer);
    const { page } = seen;
    const files = newFilesOf(viewer);
    await dropFiles(page, dropped);
    for (const size of ["40x40", "41x40"]) await untilPairOfSize(files, size);

    await page.reload();
    await page.getByRole("heading", { name: /to paste/ }).waitFor();
    const chosen = [await write(42), await write(43), await write(44)];
    const choosing = page.waitForEvent("filechooser");
    await tabTo(page, "file");
    await page.keyboard.press("Enter");
    const chooser = await choosing;
    assert.equal(chooser.isMultiple(), true);
    await chooser.setFiles(chosen);
    for (const size of ["42x40", "43x40", "44x40"]) await untilPairOfSize(files, size);
    await until(() => files().length === 10, "five pairs");
    assert.deepEqual(seen.complaints, []);
  });
}
