import { after, afterEach, before, suite } from "node:test";
import type { Browser } from "playwright-core";
import { isLongRun } from "../scripts/testing/long.ts";
import { type Bench, type BrowserBench, createWindows, type Windows } from "./panels/bench.ts";
import { testBrowsers, testKilledInstance, testStoppedInstance } from "./panels/browsers.suite.ts";
import { testEndedAccess } from "./panels/ended-access.suite.ts";
import { testInteraction } from "./panels/page-interaction.suite.ts";
import { testLooks } from "./panels/page-looks.suite.ts";
import { testPanels } from "./panels/page-panels.suite.ts";
import { testRandom } from "./panels/page-random.suite.ts";
import { testWorkspaces } from "./panels/page-workspaces.suite.ts";
import { testRules } from "./panels/rules.suite.ts";
import { testSandbox } from "./panels/sandbox.suite.ts";
import { testScreen, testScreenshots } from "./panels/screenshots.suite.ts";
import { testWebview } from "./panels/webview.suite.ts";
import { describeVisit, openBrowser, SHARED_SCREEN, type Visit } from "./support/browser.ts";
import { type Site, startSite } from "./support/site.ts";
import {
  type Driver,
  driversOf,
  openPage,
  openSharingBrowser,
  startWorkspaces,
  WORKSPACE_ENGINES,
  type WorkspaceEngine,
  type Workspaces,
} from "./support/workspaces.ts";

/** The upper limit for the size of a capture. */
const SCREEN = { width: 1_920, height: 1_080 };
const REPO = "bench";

let browser: Browser;
let site: Site;

before(async () => {
  browser = await openBrowser(...SHARED_SCREEN);
  site = await startSite();
});
after(async () => {
  await browser?.close();
  await site?.[Symbol.asyncDispose]();
});

// Panels behave the same with one instance; only reconnects after its end differ.
for (const engine of isLongRun ? WORKSPACE_ENGINES : WORKSPACE_ENGINES.slice(-1)) driveWorkspaces(engine);

function driveWorkspaces(engine: WorkspaceEngine): void {
  suite(engine, { concurrency: 1 }, () => {
    let workspaces: Workspaces;
    let windows: Windows;
    before(async () => {
      workspaces = await startWorkspaces(engine, { PROXY_ALLOW: "127.0.0.1" });
      windows = createWindows(browser, workspaces);
    });
    after(async () => {
      await windows?.closeAll();
      await workspaces?.[Symbol.asyncDispose]();
    });
    const bench = (): BrowserBench => ({ workspaces, browser, site, windows });
    afterEach(async (context) => {
      if ("passed" in context && !context.passed) console.error((await windows.describe()).join("\n\n"));
    });

    const isLast = engine === WORKSPACE_ENGINES.at(-1);
    drivePanels(bench);
    testScreen(bench);
    if (isLast) drivePage(bench);
    testEndedAccess(bench);
    if (isLast) testStoppedInstance(bench);
    testBrowsers(bench);
    // It kills instances, so it comes last.
    testKilledInstance(bench);
  });
}

function drivePanels(running: () => BrowserBench): void {
  suite("panels", { concurrency: 1 }, () => {
    let panels: Omit<Bench, "seen" | "page">;
    let seen: Visit;
    const bench = (): Bench => ({ ...panels, seen, page: seen.page });

    before(async () => {
      const { workspaces } = running();
      const drivers = driversOf(workspaces, REPO);
      const [driver] = drivers as [Driver];
      const { panelId: webview, tabId: webviewTab } = await driver.open("webview");
      const { newPanelId: sandbox, tabId: sandboxTab } = await driver.split(webview, "sandbox");
      panels = { workspaces, site, drivers, webview, webviewTab, sandbox, sandboxTab };
    });

    suite("in the headless shell", { concurrency: 1 }, () => {
      before(async () => {
        seen = await running().windows.show(0, REPO);
      });
      // The sharing window must be the only one that shows the workspace.
      after(() => seen?.page.goto(`${running().workspaces.pages}/workspaces`));

      testWebview(bench);
      testRules(bench);
    });

    suite("in the whole browser", { concurrency: 1 }, () => {
      let sharingBrowser: Browser;
      before(async () => {
        sharingBrowser = await openSharingBrowser();
        seen = await openPage(sharingBrowser, running().workspaces, REPO, { screen: SCREEN });
      });
      afterEach(async (context) => {
        if ("passed" in context && !context.passed) console.error(await describeVisit(seen));
      });
      after(() => sharingBrowser?.close());

      // Not in the headless shell, where a sandbox and the page share a process.
      testSandbox(bench);
      // Sharing takes CPU time until the window closes.
      testScreenshots(bench);
    });
  });
}

function drivePage(bench: () => BrowserBench): void {
  suite("page", { concurrency: 1 }, () => {
    testInteraction(bench);
    testPanels(bench);
    testWorkspaces(bench);
    testLooks(bench);
    testRandom(bench);
  });
}
