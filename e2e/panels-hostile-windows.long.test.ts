import { after, before, suite } from "node:test";
import type { Browser } from "playwright-core";
import type { HostileBench } from "./panels/bench.ts";
import { testPrompts } from "./panels/hostile-code.suite.ts";
import { testKeyboard } from "./panels/keyboard.suite.ts";
import { testLoops } from "./panels/loops.suite.ts";
import { openWholeBrowser } from "./support/browser.ts";
import { type FramedSite, startFramedSite } from "./support/framed-site.ts";
import { startWorkspaces, type Workspaces } from "./support/workspaces.ts";

// What only a whole browser has: a process for each frame, windows, focus, prompts.

let workspaces: Workspaces;
let site: FramedSite;
let browser: Browser;
const bench = (): HostileBench => ({ workspaces, site, browser });

before(async () => {
  browser = await openWholeBrowser();
  site = await startFramedSite("Bad");
  workspaces = await startWorkspaces("one instance, embedded", { PROXY_ALLOW: "127.0.0.1/32" });
});
after(async () => {
  await browser?.close();
  for (const each of [site, workspaces]) await each?.[Symbol.asyncDispose]();
});

suite("code that never ends", { concurrency: 1 }, () => testLoops(bench));
suite("the keyboard", { concurrency: 1 }, () => testKeyboard(bench));
suite("prompts and permissions", { concurrency: 1 }, () => testPrompts(bench));
