import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, suite, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { createService } from "../../examples/connect-service/service.ts";
import { scratchFolder } from "../../packages/sdk/src/testing/scratch.ts";
import { freePort } from "../../scripts/services/index.ts";
import { isLongRun } from "../../scripts/testing/long.ts";
import { CLI, Program, plainEnvironment } from "../support/backplane.ts";
import type { Visit } from "../support/browser.ts";
import { type RunningGateway, startGateway } from "../support/gateway.ts";
import { assertFlawlessInEveryLook } from "../support/looks.ts";
import { visitWithClock } from "../support/paused-clock.ts";
import { until } from "../support/processes.ts";
import { ACCOUNTS, type App, CANCELLED, NOT_A_TESTER, startProvider, type TestProvider } from "../support/provider.ts";
import type { OAuthBench } from "./bench.ts";

type TokenFile = { accessToken: string; refreshToken?: string; expiresAt: number };
const readTokens = (path: string) => JSON.parse(readFileSync(path, "utf8")) as TokenFile;
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Runs in the page. */
function recordPolls(): void {
  const { asks, fetch } = window as unknown as { asks(atMs: number): void; fetch: typeof globalThis.fetch };
  window.fetch = (input, init) => {
    if (String(input) === "/status") asks(Date.now());
    return fetch(input, init);
  };
}

/** Users who connect their account at a provider, through a service or the command. */
export function testConnect(bench: () => OAuthBench): void {
  let gateway: RunningGateway;
  let browser: Browser;
  /** Shared by almost all tests; forgets who signed in at the provider. */
  let seen: Visit;
  let page: Page;
  let provider: TestProvider;
  before(async () => {
    ({ gateway, browser, seen, page } = bench());
    provider = await startProvider({ gatewayUrl: gateway.url });
  });
  beforeEach(async () => {
    for (const tab of page.context().pages()) if (tab !== page) await tab.close();
    // A blank page would need a new renderer.
    await page.goto(`${gateway.url}/health`);
    await page.context().clearCookies();
    seen.complaints.length = 0;
  });
  after(() => provider?.[Symbol.asyncDispose]());

  /** Signs in at the provider and allows or cancels. */
  async function answer(page: Page, account: keyof typeof ACCOUNTS, button: "Allow" | "Cancel"): Promise<void> {
    await page.getByRole("button", { name: ACCOUNTS[account].name }).click();
    await page.getByRole("button", { name: button }).click();
    await page.waitForURL(`${gateway.url}/callback`);
  }

  suite("a service that uses the sdk", () => {
    async function openService({ app = provider.app, tokenUrl = provider.tokenUrl, gatewayUrl = gateway.url } = {}) {
      const folder = scratchFolder();
      const credentialsFile = join(folder.path, "credentials.json");
      const { issuer, authUrl } = provider;
      const asked = { scopes: "openid profile offline_access", extraParams: { prompt: "consent" } };
      writeFileSync(credentialsFile, JSON.stringify({ ...app, authUrl, tokenUrl, issuer, ...asked }));
      const tokenFolder = join(folder.path, "tokens");
      const places = { credentialsFile, tokenFolder, gatewayUrl, accountUrl: provider.userinfoUrl };
      const server = (await createService({ provider: "parts-catalog", ...places })).listen(0, "127.0.0.1");
      await once(server, "listening");
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      return {
        url,
        tokenFile: join(tokenFolder, `parts-catalog.${userInfo().username}.json`),
        get: async (path: string) => {
          const response = await fetch(`${url}${path}`, { redirect: "manual" });
          return {
            status: response.status,
            body: (await response.json().catch(() => ({}))) as Record<string, unknown>,
          };
        },
        async [Symbol.asyncDispose]() {
          server.closeAllConnections();
          server.close();
          await once(server, "close");
          folder[Symbol.dispose]();
        },
      };
    }

    /** Returns the tab that Connect opens. */
    async function pressConnect(page: Page): Promise<Page> {
      const opening = page.context().waitForEvent("page");
      await page.getByRole("link").press("Enter");
      return opening;
    }

    test("the auth route answers 302, the status route says configured; the page polls until it is true, and shows who is connected", async () => {
      await using service = await openService({ app: provider.basicApp });
      const start = await fetch(`${service.url}/auth/parts-catalog`, { redirect: "manual" });
      assert.equal(start.status, 302);
      assert.ok(start.headers.get("location")?.startsWith(provider.authUrl));
      assert.equal((await service.get("/status")).body.configured, false);

      await page.goto(service.url);
      await assertFlawlessInEveryLook(page, "at first");
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement?.id), "connect");
      const tab = await pressConnect(page);
      await page.getByRole("heading", { name: "Waiting for your answer" }).waitFor();
      await answer(tab, "ada", "Allow");
      await tab.getByRole("heading", { name: "Code delivered" }).waitFor();
      assert.equal(tab.url(), `${gateway.url}/callback`, "no code in the address bar");

      await page.getByRole("heading", { name: "Connected", exact: true }).waitFor();
      await page.getByText(ACCOUNTS.ada.name).waitFor();
      assert.deepEqual((await service.get("/status")).body, { configured: true, waiting: false });
      assert.equal(modeOf(service.tokenFile), "600");
      const { accessToken } = readTokens(service.tokenFile);
      const me = await fetch(provider.userinfoUrl, { headers: { authorization: `Bearer ${accessToken}` } });
      assert.deepEqual(await me.json(), { sub: "ada", name: ACCOUNTS.ada.name });
      assert.deepEqual(seen.complaints, []);
    });

    test("the page polls every 2 s, not more often", async () => {
      await using service = await openService();
      await using seen = await visitWithClock(browser, Date.now());
      const { page } = seen;
      const askedAtMs: number[] = [];
      await page.exposeFunction("asks", (atMs: number) => askedAtMs.push(atMs));
      await page.addInitScript(recordPolls);
      await page.goto(service.url);
      await until(() => askedAtMs.length === 1, "the first question");
      await until(async () => {
        await page.clock.runFor(100);
        return askedAtMs.length === 4;
      }, "three more");
      const spans = askedAtMs.slice(1).map((atMs, index) => atMs - (askedAtMs[index] ?? 0));
      // Part of the interval passes while a response is in flight.
      for (const span of spans) assert.ok(span >= 2_000 && span < 4_000, String(spans));
    });

    for (const [why, account, button, description] of [
      ["by the user", "ada", "Cancel", CANCELLED],
      ["as not on the test-user list", "grace", "Allow", NOT_A_TESTER],
    ] as const) {
      test(`declined ${why}: the service and the gateway both explain it, and nothing is stored`, async () => {
        await using service = await openService();
        await page.goto(service.url);
        const tab = await pressConnect(page);
        await answer(tab, account, button);
        await tab.getByRole("heading", { name: "The provider declined" }).waitFor();
        for (const either of [tab, page]) {
          await either.getByText(/owner must add your account to the test users/).waitFor();
          await either.getByText(description).waitFor();
        }
        await page.getByRole("heading", { name: "Not connected" }).waitFor();
        if (description === NOT_A_TESTER) await assertFlawlessInEveryLook(page, "declined");
        assert.throws(() => statSync(service.tokenFile), { code: "ENOENT" });
        assert.deepEqual(seen.complaints, []);
      });
    }

    test("a provider that refuses only at its token URL, with 403, is explained too", async () => {
      await using service = await openService({ tokenUrl: provider.blockedTokenUrl });
      await page.goto(service.url);
      await answer(await pressConnect(page), "ada", "Allow");
      await page.getByText(/owner must add your account to the test users/).waitFor();
      assert.equal((await service.get("/status")).body.configured, false);
    });

    test("a token with a minute left is refreshed, and its refresh token replaced; without one it is not connected", async () => {
      await using service = await openService({ app: provider.publicApp });
      await page.goto(`${service.url}/auth/parts-catalog`);
      await answer(page, "ada", "Allow");
      await until(async () => (await service.get("/status")).body.configured, "it is configured");
      const first = readTokens(service.tokenFile);
      const soon = Date.now() + 59_000;
      writeFileSync(service.tokenFile, JSON.stringify({ ...first, expiresAt: soon }));
      assert.deepEqual(await service.get("/account"), { status: 200, body: { account: ACCOUNTS.ada.name } });
      const second = readTokens(service.tokenFile);
      assert.notEqual(second.accessToken, first.accessToken);
      assert.notEqual(second.refreshToken, first.refreshToken);
      assert.ok(second.expiresAt > soon);

      const { refreshToken: _lost, ...rest } = second;
      writeFileSync(service.tokenFile, JSON.stringify({ ...rest, expiresAt: soon }));
      assert.equal((await service.get("/status")).body.configured, false);
      assert.equal((await service.get("/account")).status, 409);

      writeFileSync(service.tokenFile, JSON.stringify({ ...second, expiresAt: soon }));
      provider.revokeAll();
      assert.equal((await service.get("/account")).status, 409);
      assert.equal((await service.get("/status")).body.configured, false);
      assert.ok(!gateway.output().includes(second.accessToken), "tokens never pass through the gateway");
    });

    test("Connect reports when the gateway is down", async () => {
      await using service = await openService({ gatewayUrl: `http://127.0.0.1:${await freePort()}` });
      await page.goto(`${service.url}/auth/parts-catalog`);
      await page.getByText(/The gateway at .* does not answer\./).waitFor();
      assert.equal(page.url(), `${service.url}/`);
    });
  });

  suite("backplane connect", () => {
    type Options = { app?: App; args?: readonly string[]; gatewayUrl?: string };

    /** The command with its own home and credentials. */
    function openTerminal() {
      const home = scratchFolder();
      const credentials = join(home.path, "credentials.json");
      const run = (...args: string[]) =>
        new Program(process.execPath, [CLI, "connect", ...args], {
          cwd: home.path,
          env: { ...plainEnvironment(), HOME: home.path },
        });
      return {
        run,
        tokenFile: join(home.path, ".backplane/tokens/parts.ada.json"),
        connect({ app = provider.app, args = [], gatewayUrl = gateway.url }: Options = {}) {
          writeFileSync(credentials, JSON.stringify({ ...app, issuer: provider.issuer }));
          return run("parts", "--credentials", credentials, "--user", "ada", "--gateway", gatewayUrl, ...args);
        },
        [Symbol.dispose]: home[Symbol.dispose],
      };
    }

    const addressIn = async (program: Program) => {
      await program.prints(/http:.*\/auth\?.*\n/);
      return String(/http:\S*\/auth\?\S*/.exec(program.output));
    };

    const KINDS = [
      ["goes in the form", "app"],
      ["goes in the header", "basicApp"],
      ["does not exist", "publicApp"],
    ] as const;
    // The other kinds connect through the service, see above.
    for (const [how, kind] of isLongRun ? KINDS : KINDS.slice(0, 1)) {
      test(`a user who opens the printed address and agrees is connected; the secret ${how}`, async () => {
        using terminal = openTerminal();
        const app = provider[kind];
        const program = terminal.connect({ app });
        await page.goto(await addressIn(program));
        await answer(page, "ada", "Allow");
        assert.equal(await program.ended(), 0, program.output);
        assert.match(
          program.output,
          /● parts is connected for ada\.\n {2}Tokens {2}.*parts\.ada\.json, for this account only/,
        );
        assert.match(program.output, /until .*, for \d+ min; then refreshed on use/);
        assert.equal(modeOf(terminal.tokenFile), "600");
        const { accessToken, refreshToken } = readTokens(terminal.tokenFile);
        for (const secret of [accessToken, refreshToken, app.clientSecret]) {
          assert.ok(secret === undefined || !program.output.includes(secret));
        }

        if (kind !== "app") return;
        const list = terminal.run("--list");
        assert.equal(await list.ended(), 0);
        assert.match(list.output, /● parts {2}ada {2}until .*; then refreshed on use/);
        assert.equal(await terminal.run("parts", "--forget", "--user", "ada").ended(), 0);
        assert.throws(() => statSync(terminal.tokenFile), { code: "ENOENT" });
      });
    }

    test("a user who is declined sees why, and the exit code is 4", async () => {
      using terminal = openTerminal();
      const program = terminal.connect();
      await page.goto(await addressIn(program));
      await answer(page, "grace", "Allow");
      assert.equal(await program.ended(), 4);
      assert.match(program.output, /■ parts is not connected\.\n.*owner must add your account to the test users/);
      assert.ok(program.output.includes(`The provider declined access: ${NOT_A_TESTER} If the app is in testing`));
    });

    test("Ctrl-C ends it with 130 and removes the registration", async () => {
      using terminal = openTerminal();
      const program = terminal.connect();
      await program.prints(/Waiting for your answer/);
      assert.equal(await program.stop("SIGINT"), 130);
      assert.match(program.output, /Stopped\. Nothing was stored\./);
      const pending = async () =>
        ((await (await fetch(`${gateway.url}/health`)).json()) as { pending: number }).pending;
      await until(async () => (await pending()) === 0, "nobody waits");
    });

    test("a lost gateway is reported, and used again when it is back", async () => {
      await using fragile = await startGateway();
      using terminal = openTerminal();
      const program = terminal.connect({ gatewayUrl: fragile.url, args: ["--json"] });
      const address = new URL(await addressIn(program).then((text) => text.replace(/".*/, "")));
      await fragile.kill();
      await program.prints(/Connection to the gateway lost, trying again/);
      await fragile.start();
      await program.prints(/trying again[\s\S]*Waiting for your answer/);
      // The provider only knows the other gateway's address, so the test sends the callback itself.
      const query = new URLSearchParams({ error: "access_denied", state: String(address.searchParams.get("state")) });
      query.set("iss", provider.issuer);
      assert.equal((await fetch(`${fragile.url}/callback?${query}`)).status, 200);
      assert.equal(await program.ended(), 4);
      const last = JSON.parse(program.output.trimEnd().split("\n").at(-1) ?? "");
      assert.equal(last.error.code, "declined");
    });

    test("without a gateway it says how to start one, and the exit code is 3", async () => {
      using terminal = openTerminal();
      const program = terminal.connect({ gatewayUrl: `http://127.0.0.1:${await freePort()}` });
      assert.equal(await program.ended(), 3);
      assert.match(program.output, /does not answer[\s\S]*Start one with: backplane up/);
    });
  });
}
