import { after, before, suite } from "node:test";
import type { OAuthBench } from "./oauth/bench.ts";
import { testCallbackPage } from "./oauth/callback-page.suite.ts";
import { testCallbackWaiting } from "./oauth/callback-waiting.suite.ts";
import { testConnect } from "./oauth/connect.suite.ts";
import { testFlow } from "./oauth/flow.suite.ts";
import { openBrowser, visit } from "./support/browser.ts";
import { startGateway } from "./support/gateway.ts";

let bench: OAuthBench;
const opened = new AsyncDisposableStack();
before(async () => {
  const gateway = opened.use(await startGateway());
  const browser = await openBrowser();
  opened.defer(() => browser.close());
  const seen = await visit(browser);
  bench = { gateway, browser, seen, page: seen.page };
});
after(() => opened.disposeAsync());

const SUITES: Record<string, (bench: () => OAuthBench) => void> = {
  // Counts the gateway's connections, so it comes first.
  "the flow": testFlow,
  "connecting an account": testConnect,
  "the callback page": testCallbackPage,
  "the waiting callback page": testCallbackWaiting,
};
for (const [name, test] of Object.entries(SUITES)) suite(name, { concurrency: 1 }, () => test(() => bench));
