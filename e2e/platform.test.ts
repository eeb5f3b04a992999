import { after, before, suite } from "node:test";
import { freePort } from "../scripts/services/index.ts";
import { testAccount } from "./platform/account.suite.ts";
import { testApprove } from "./platform/approve.suite.ts";
import { COMPANY, type PlatformBench } from "./platform/bench.ts";
import { testDocument } from "./platform/document.suite.ts";
import { testForgedApprovals } from "./platform/forged.suite.ts";
import { testLogin } from "./platform/login.suite.ts";
import { testPackagesPages } from "./platform/packages.suite.ts";
import { testPeople } from "./platform/people.suite.ts";
import { testSignInWays } from "./platform/sign-in-ways.suite.ts";
import { openBrowser, visit } from "./support/browser.ts";
import { MOVABLE_CLOCK } from "./support/movable-clock.ts";
import { signInAs } from "./support/person.ts";
import { startPlatform } from "./support/platform.ts";
import { startProvider } from "./support/provider.ts";

let bench: PlatformBench;
const opened = new AsyncDisposableStack();
before(async () => {
  const port = await freePort();
  const redirectUri = `http://localhost:${port}/auth/openid/callback`;
  const provider = opened.use(await startProvider({ redirectUri }));
  const { clientId, clientSecret } = provider.basicApp;
  const env = {
    PLATFORM_PORT: String(port),
    TRUST_PROXY: "127.0.0.1",
    OPENID_ISSUER: provider.issuer,
    OPENID_CLIENT_ID: clientId,
    OPENID_CLIENT_SECRET: clientSecret,
    OPENID_NAME: COMPANY,
  };
  const platform = opened.use(await startPlatform({ ...MOVABLE_CLOCK, ...env }));
  const browser = await openBrowser();
  opened.defer(() => browser.close());
  const owner = await signInAs(platform.url);
  const seen = await visit(browser);
  bench = { platform, browser, owner, seen, page: seen.page };
});
after(() => opened.disposeAsync());

const SUITES: Record<string, (bench: () => PlatformBench) => void> = {
  "people and organisations": testPeople,
  "the account page": testAccount,
  "other ways to sign in": testSignInWays,
  "pages of packages": testPackagesPages,
  "signing in from programs": testLogin,
  "the document of a workspace": testDocument,
  "forged approvals": testForgedApprovals,
  // Moves the platform's clock, so it comes last.
  "the approval page": testApprove,
};
for (const [name, test] of Object.entries(SUITES)) suite(name, { concurrency: 1 }, () => test(() => bench));
