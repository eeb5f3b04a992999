import { after, before, suite } from "node:test";
import type { Browser } from "playwright-core";
import { testAddresses } from "./panels/addresses.suite.ts";
import type { HostileBench } from "./panels/bench.ts";
import { testHostileCode, testPrompts } from "./panels/hostile-code.suite.ts";
import { testHostileSites } from "./panels/hostile-sites.suite.ts";
import { testKeyboard } from "./panels/keyboard.suite.ts";
import { testLoops } from "./panels/loops.suite.ts";
import { openBrowser, openWholeBrowser } from "./support/browser.ts";
import { type FramedSite, startFramedSite } from "./support/framed-site.ts";
import { startWorkspaces, type Workspaces } from "./support/workspaces.ts";

let workspaces: Workspaces;
let site: FramedSite;
let browser: Browser;
const bench = (): HostileBench => ({ workspaces, site, browser });

before(async () => {
  site = await startFramedSite("Bad");
  workspaces = await startWorkspaces("one instance, embedded", { PROXY_ALLOW: "127.0.0.1/32" });
});
after(async () => {
  for (const each of [site, workspaces]) await each?.[Symbol.asyncDispose]();
});

suite("in the browser's engine", { concurrency: 1 }, () => {
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser?.close());

  suite("code in a sandbox", { concurrency: 1 }, () => testHostileCode(bench));
  suite("sites in a web view", { concurrency: 1 }, () => testHostileSites(bench));
});

suite("in the whole browser", { concurrency: 1 }, () => {
  before(async () => {
    browser = await openWholeBrowser();
  });
  after(() => browser?.close());

  suite("code that never ends", { concurrency: 1 }, () => testLoops(bench));
  suite("the keyboard", { concurrency: 1 }, () => testKeyboard(bench));
  suite("prompts and permissions", { concurrency: 1 }, () => testPrompts(bench));
});

// Last, because it also looks for secrets in the platform's log.
suite("addresses of the proxy", { concurrency: 1 }, () => testAddresses(bench));
