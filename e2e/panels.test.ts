import { after, before, suite } from "node:test";
import type { Browser } from "playwright-core";
import { isLongRun } from "../scripts/testing/long.ts";
import type { Bench } from "./panels/bench.ts";
import { testBrowsers } from "./panels/browsers.suite.ts";
import { testRules } from "./panels/rules.suite.ts";
import { testSandbox } from "./panels/sandbox.suite.ts";
import { testScreenshots } from "./panels/screenshots.suite.ts";
import { testWebview } from "./panels/webview.suite.ts";
import { openBrowser, type Visit } from "./support/browser.ts";
import { type Site, startSite } from "./support/site.ts";
import {
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

let sharingBrowser: Browser;
let browser: Browser;
let site: Site;

before(async () => {
  sharingBrowser = await openSharingBrowser();
  browser = await openBrowser();
  site = await startSite();
});
after(async () => {
  await sharingBrowser?.close();
  await browser?.close();
  await site?.[Symbol.asyncDispose]();
});

for (const engine of WORKSPACE_ENGINES) driveWorkspaces(engine);

function driveWorkspaces(engine: WorkspaceEngine): void {
  suite(engine, { concurrency: 1 }, () => {
    let workspaces: Workspaces;
    before(async () => {
      workspaces = await startWorkspaces(engine, { PROXY_ALLOW: "127.0.0.1" });
    });
    after(() => workspaces?.[Symbol.asyncDispose]());

    // Panels behave the same with one instance; only reconnects and killed instances differ.
    if (isLongRun || engine === WORKSPACE_ENGINES.at(-1)) drivePanels(() => workspaces);
    testBrowsers(() => ({ workspaces, browser, site }));
  });
}

function drivePanels(running: () => Workspaces): void {
  suite("panels", { concurrency: 1 }, () => {
    let seen: Visit;
    let ready: Bench;
    const bench = () => ready;

    before(async () => {
      const workspaces = running();
      const drivers = driversOf(workspaces, "bench");
      const [driver] = drivers as [Bench["drivers"][number]];
      const { panelId: webview, tabId: webviewTab } = await driver.open("webview");
      const { newPanelId: sandbox, tabId: sandboxTab } = await driver.split(webview, "sandbox");
      seen = await openPage(sharingBrowser, workspaces, "bench", { screen: SCREEN });
      const panels = { webview, webviewTab, sandbox, sandboxTab };
      ready = { workspaces, site, seen, page: seen.page, drivers, ...panels };
    });
    after(() => seen?.[Symbol.asyncDispose]());

    testWebview(bench);
    testScreenshots(bench);
    testRules(bench);
    testSandbox(bench);
  });
}
