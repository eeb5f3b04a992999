import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "../support/browser.ts";
import { assertLooksRight, LOOKS } from "../support/looks.ts";
import { signedInWindow } from "../support/person.ts";
import { type Driver, driverOf, openPage } from "../support/workspaces.ts";
import { frameAt } from "./bench.ts";
import { dialog, type PageBench } from "./page-bench.ts";

const REPO = "looks";

/** Six panels, as a program opens them. */
async function fill(driver: Driver, siteUrl: string): Promise<string> {
  const web = await driver.open("webview", { initialState: { url: `${siteUrl}/plain?look` } });
  const sandbox = await driver.split(web.panelId, "sandbox");
  await driver.split(sandbox.newPanelId, "system-log", { direction: "vertical" });
  const editor = await driver.split(web.panelId, "code-editor", { direction: "vertical" });
  await driver.split(editor.newPanelId, "3d-viewer");
  await driver.open("motor", { panelId: web.panelId, background: true });
  return sandbox.newPanelId;
}

/** axe and sideways scrolling, in every look. */
export function testLooks(bench: () => PageBench): void {
  for (const { name, options } of LOOKS) {
    test(`six panels, catalog, share popover, shortcuts and the list of workspaces, ${name}: no serious axe findings`, async () => {
      const { workspaces, browser, site } = bench();
      const driver = driverOf(workspaces, workspaces.pages, REPO);
      if ((await driver.tabs()).length === 0) await fill(driver, site.url);
      await using seen = await openPage(browser, workspaces, REPO, options);
      const { page } = seen;
      await frameAt(page, `${site.url}/plain?look`);
      const isNarrow = await page.getByRole("navigation", { name: "Panels" }).isVisible();
      if (!isNarrow)
        await page
          .getByRole("combobox", { name: "Open a model" })
          .or(page.getByLabel("Open a model"))
          .first()
          .waitFor();
      await assertLooksRight(page, "six panels");

      await page.keyboard.press("Control+k");
      await dialog(page, "Add a panel").waitFor();
      await assertLooksRight(page, "catalog", "dialog");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Switch workspace" }).click();
      await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).click();
      await dialog(page, "Keyboard shortcuts").waitFor();
      await assertLooksRight(page, "shortcuts", "dialog");
      await page.keyboard.press("Escape");

      const asked = { reason: "Check that the trace crosses the limit before the 40 ms mark.", waitForSharing: 60 };
      const shooting = driver.screenshot(asked);
      const prompt = dialog(page, "bench-agent asks for a screenshot");
      await prompt.waitFor();
      await assertLooksRight(page, "share popover", "header");
      await prompt.getByRole("button", { name: "Not now" }).click();
      const declined = await shooting;
      assert.deepEqual([declined.status, declined.body.code], [403, "sharing-declined"]);

      await using list = await visit(browser, { ...signedInWindow(workspaces.owner), ...options });
      await list.page.goto(`${workspaces.pages}/workspaces`);
      await list.page
        .getByRole("link", { name: new RegExp(REPO) })
        .first()
        .waitFor();
      await assertLooksRight(list.page, "list of workspaces");
      assert.deepEqual([...seen.complaints, ...list.complaints], []);
    });
  }
}
