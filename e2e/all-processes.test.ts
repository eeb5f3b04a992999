import { after, before, suite } from "node:test";
import type { Bench } from "./all-processes/bench.ts";
import { testPages } from "./all-processes/pages.suite.ts";
import { testPython } from "./all-processes/python.suite.ts";
import { testWatchdog } from "./all-processes/watchdog.suite.ts";
import { startBackplane } from "./support/backplane.ts";
import { openBrowser, visit } from "./support/browser.ts";
import { OWNER } from "./support/platform.ts";

let bench: Bench;
const opened = new AsyncDisposableStack();
before(async () => {
  // Open to other machines, and logging all it can, for the last test of the watchdog.
  const env = { HOST: "0.0.0.0", LOG_LEVEL: "trace", BACKPLANE_OWNER_PASSWORD: OWNER.password };
  const backplane = opened.use(await startBackplane({ env }));
  const browser = await openBrowser();
  opened.defer(() => browser.close());
  const seen = await visit(browser);
  bench = { backplane, browser, seen, page: seen.page };
});
after(() => opened.disposeAsync());

suite("pages", { concurrency: 1 }, () => testPages(() => bench));
// Publishes a package, and the pages expect none.
suite("the client for Python", { concurrency: 1 }, () => testPython(() => bench));
// Stops processes, at last all of them, so it comes last.
suite("the watchdog", { concurrency: 1 }, () => testWatchdog(() => bench));
