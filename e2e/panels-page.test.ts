import { after, before } from "node:test";
import type { Browser } from "playwright-core";
import type { PageBench } from "./panels/page-bench.ts";
import { testInteraction } from "./panels/page-interaction.suite.ts";
import { testLooks } from "./panels/page-looks.suite.ts";
import { testPanels } from "./panels/page-panels.suite.ts";
import { testRandom } from "./panels/page-random.suite.ts";
import { openBrowser, type Visit } from "./support/browser.ts";
import { type Site, startSite } from "./support/site.ts";
import { openPage, showWorkspace, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

let workspaces: Workspaces;
let browser: Browser;
let site: Site;

before(async () => {
  browser = await openBrowser();
  site = await startSite();
  workspaces = await startWorkspaces("two instances over PostgreSQL and Redis", { PROXY_ALLOW: "127.0.0.1" });
});
after(async () => {
  await browser?.close();
  await workspaces?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

let shared: Visit | undefined;
const bench = (): PageBench => ({
  ...{ workspaces, browser, site },
  async show(repo) {
    if (shared) await showWorkspace(shared, workspaces, repo);
    shared ??= await openPage(browser, workspaces, repo);
    return shared;
  },
});

testInteraction(bench);
testPanels(bench);
testLooks(bench);
testRandom(bench);
