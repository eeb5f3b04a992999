import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import type { Visit } from "../support/browser.ts";
import { assertLooksRight, assertLooksRightInEveryLook, changeLook, LOOKS } from "../support/looks.ts";
import { type Driver, driverOf, openPage } from "../support/workspaces.ts";
import { type BrowserBench, frameAt } from "./bench.ts";
import { dialog } from "./page-bench.ts";

const REPO = "looks";

/** Opens six panels as a program. */
async function fill(driver: Driver, siteUrl: string): Promise<string> {
  const web = await driver.open("webview", { initialState: { url: `${siteUrl}/plain?look` } });
  const sandbox = await driver.split(web.panelId, "sandbox");
  await driver.split(sandbox.newPanelId, "system-log", { direction: "vertical" });
  const editor = await driver.split(web.panelId, "code-editor", { direction: "vertical" });
  await driver.split(editor.newPanelId, "3d-viewer");
  await driver.open("motor", { panelId: web.panelId, background: true });
  return sandbox.newPanelId;
}

const STATES = "six panels, catalog, share popover, shortcuts and the list of workspaces";
type Check = (page: Page, what: string, part?: string) => Promise<void>;

/** axe and horizontal scrolling, in every look. */
export function testLooks(bench: () => BrowserBench): void {
  test(`${STATES}, in every look: no serious axe findings`, async () => {
    const seen = await bench().windows.show(0, REPO);
    const { page } = seen;
    const viewport = page.viewportSize();
    assert.ok(viewport);
    const names = page.getByRole("navigation", { name: "Panels" });
    await checkStates(bench(), seen, assertLooksRightInEveryLook, async () => {
      await page.getByRole("combobox", { name: "Open a model" }).or(page.getByLabel("Open a model")).first().waitFor();
      await assertLooksRight(page, "six panels");
      // All rules again: a narrow page has a different layout.
      for (const { name, options } of LOOKS.slice(1)) {
        await changeLook(page, { colorScheme: options.colorScheme ?? "light", viewport: options.viewport ?? viewport });
        await names.waitFor({ state: options.viewport ? "visible" : "hidden" });
        await assertLooksRight(page, `six panels, ${name}`);
      }
      await changeLook(page, { colorScheme: "light", viewport });
      await names.waitFor({ state: "hidden" });
    });
  });

  // A page cannot switch between mouse and touch.
  for (const { name, options } of LOOKS.filter((look) => look.options.hasTouch)) {
    test(`${STATES}, ${name}: no serious axe findings`, async () => {
      const { browser, workspaces } = bench();
      await using seen = await openPage(browser, workspaces, REPO, options);
      await checkStates(bench(), seen, assertLooksRight, () => assertLooksRight(seen.page, "six panels"));
    });
  }
}

async function checkStates(
  { workspaces, site }: BrowserBench,
  { page, complaints }: Visit,
  check: Check,
  checkSixPanels: () => Promise<void>,
): Promise<void> {
  const driver = driverOf(workspaces, workspaces.pages, REPO);
  if ((await driver.tabs()).length === 0) await fill(driver, site.url);
  await frameAt(page, `${site.url}/plain?look`);
  await checkSixPanels();

  await page.keyboard.press("Control+k");
  await dialog(page, "Add a panel").waitFor();
  await check(page, "catalog", "dialog");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Switch workspace" }).click();
  await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).click();
  await dialog(page, "Keyboard shortcuts").waitFor();
  // The catalog is the same kind of dialog, in every look.
  await (isLongRun ? check : assertLooksRight)(page, "shortcuts", "dialog");
  await page.keyboard.press("Escape");

  const asked = { reason: "Check that the trace crosses the limit before the 40 ms mark.", waitForSharing: 60 };
  const shooting = driver.screenshot(asked);
  const prompt = dialog(page, "bench-agent asks for a screenshot");
  await prompt.waitFor();
  await check(page, "share popover", "header");
  await prompt.getByRole("button", { name: "Not now" }).click();
  const declined = await shooting;
  assert.deepEqual([declined.status, declined.body.code], [403, "sharing-declined"]);

  await page.goto(`${workspaces.pages}/workspaces`);
  await page
    .getByRole("link", { name: new RegExp(REPO) })
    .first()
    .waitFor();
  await check(page, "list of workspaces");
  assert.deepEqual(complaints, []);
}
