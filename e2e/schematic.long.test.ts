// The schematic editor in a real browser, on files of a project.
import { after, before, suite, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { slotOf } from "./panels/bench.ts";
import { openBrowser, type Visit } from "./support/browser.ts";
import { keepPicture } from "./support/pictures.ts";
import { driverOf, openPage, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

const REPO = "board";

let browser: Browser;
let workspaces: Workspaces;
let seen: Visit;
let page: Page;
let slot: Locator;

before(async () => {
  browser = await openBrowser();
  workspaces = await startWorkspaces("one instance, embedded");
  seen = await openPage(browser, workspaces, REPO, { viewport: { width: 1200, height: 800 } });
  page = seen.page;
});
after(async () => {
  await seen?.[Symbol.asyncDispose]();
  await browser?.close();
  await workspaces?.[Symbol.asyncDispose]();
});

const driver = () => driverOf(workspaces, workspaces.pages, REPO);

suite("schematic editor", { concurrency: 1 }, () => {
  test("a project without schematics says what to do, and gets the example by a key press", async () => {
    const { tabId } = await driver().open("schematic-editor");
    slot = slotOf(page, tabId);
    await slot.getByText("This project has no .kicad_sch files yet.").waitFor();
    await slot.getByRole("button", { name: "Open the example" }).focus();
    await page.keyboard.press("Enter");
    await slot.getByText("26 items on this sheet").waitFor();
    await keepPicture(page, ".schematic", "schematic-editor");
  });
});
