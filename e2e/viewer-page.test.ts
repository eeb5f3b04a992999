import { after, before } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "./support/browser.ts";
import { type RunningViewer, startViewer } from "./support/viewer.ts";
import type { PageBench } from "./viewer/page-bench.ts";
import { testPageFaults } from "./viewer/page-faults.suite.ts";
import { testPageHands } from "./viewer/page-hands.suite.ts";
import { testPageLooks } from "./viewer/page-looks.suite.ts";
import { testPageNaming } from "./viewer/page-naming.suite.ts";

let browser: Browser;
let viewer: RunningViewer;
before(async () => {
  browser = await openBrowser();
  viewer = await startViewer();
});
after(async () => {
  await viewer?.[Symbol.asyncDispose]();
  await browser?.close();
});

const bench = (): PageBench => ({ browser, viewer });

testPageHands(bench);
testPageNaming(bench);
testPageFaults(bench);
testPageLooks(bench);
