// Keys that follow each other faster than the page shows what they did: none is lost, with panels that take the focus beside.
import { test } from "node:test";
import { becomes, shows } from "./panels/page-bench.ts";
import { startInstrumentPage } from "./support/instrument-page.ts";

const ROUNDS = 6;

test("three changes of the layout by keys, without a look between them, and three undone", async () => {
  await using bench = await startInstrumentPage("keys");
  const { page } = bench.seen;
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  for (const panel of ["motor", "servo"]) await bench.open(panel, {});
  const { tabId } = await bench.open("imu", {});
  const tab = page.locator(`[data-tab="${tabId}"] [role=tab]`);
  await tab.waitFor();
  for (let round = 0; round < ROUNDS; round += 1) {
    await tab.focus();
    await press("Alt+Shift+R", "Alt+Shift+ArrowLeft", "Alt+Shift+B");
    await becomes(bench.driver, "(motor [servo] / [imu])");
    await press("Control+z", "Control+z", "Control+z");
    await becomes(bench.driver, "motor servo [imu]");
    await shows(page, bench.driver);
  }
});
