import { after, before, suite } from "node:test";
import type { Browser } from "playwright-core";
import { testAddresses } from "./panels/addresses.suite.ts";
import type { HostileBench } from "./panels/bench.ts";
import { testHostileCode } from "./panels/hostile-code.suite.ts";
import { testHostileSites } from "./panels/hostile-sites.suite.ts";
import { openBrowser } from "./support/browser.ts";
import { type FramedSite, startFramedSite } from "./support/framed-site.ts";
import { startWorkspaces, type Workspaces } from "./support/workspaces.ts";

let workspaces: Workspaces;
let site: FramedSite;
let browser: Browser;
const bench = (): HostileBench => ({ workspaces, site, browser });

before(async () => {
  browser = await openBrowser();
  site = await startFramedSite("Bad");
  workspaces = await startWorkspaces("one instance, embedded", { PROXY_ALLOW: "127.0.0.1/32" });
});
after(async () => {
  await browser?.close();
  for (const each of [site, workspaces]) await each?.[Symbol.asyncDispose]();
});

suite("code in a sandbox", { concurrency: 1 }, () => testHostileCode(bench));
suite("sites in a web view", { concurrency: 1 }, () => testHostileSites(bench));
// Last, because it also looks for secrets in the platform's log.
suite("addresses of the proxy", { concurrency: 1 }, () => testAddresses(bench));
