import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Browser } from "playwright-core";
import { type OAuthFlowEvent, startOAuthFlow } from "../../packages/sdk/src/index.ts";
import { startCuttableRelay } from "../../packages/sdk/src/testing/cuttable-relay.ts";
import { findOlderNode } from "../../packages/sdk/src/testing/older-node.ts";
import { isLongRun } from "../../scripts/testing/long.ts";
import { ROOT } from "../support/backplane.ts";
import { visit } from "../support/browser.ts";
import { buildSdk, PAGE, script, serveFolder } from "../support/built-sdk.ts";
import { type RunningGateway, startGateway } from "../support/gateway.ts";
import { underLoad } from "../support/load.ts";
import { HANG_MS, until } from "../support/processes.ts";
import type { OAuthBench } from "./bench.ts";

const ASKED = {
  provider: "example",
  authUrl: "https://provider.example/authorize",
  clientId: "client-1",
  scopes: "files.read",
};

const stateOf = (flow: { authRedirectUrl: string }) => String(new URL(flow.authRedirectUrl).searchParams.get("state"));

/** The sdk's flow, in programs and in browsers. */
export function testFlow(bench: () => OAuthBench): void {
  let gateway: RunningGateway;
  let browser: Browser;
  before(() => {
    ({ gateway, browser } = bench());
  });

  const callbackUrl = (flow: { authRedirectUrl: string }, parameters: Record<string, string>) =>
    `${gateway.url}/callback?${new URLSearchParams({ ...parameters, state: stateOf(flow) })}`;

  const figures = async () =>
    (await (await fetch(`${gateway.url}/status`)).json()) as { pending: number; connections: number };

  suite("the flow, in a program", () => {
    test("connect, register, receive code, disconnect", async () => {
      const flow = await startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url });
      assert.equal(flow.redirectUri, `${gateway.url}/callback`);
      assert.deepEqual(await figures().then(({ pending, connections }) => [pending, connections]), [1, 1]);
      const response = await fetch(callbackUrl(flow, { code: "c-1", iss: "https://provider.example" }));
      assert.equal(response.status, 200);
      const { code, state, iss, query } = await flow.waitForCode();
      assert.deepEqual([code, state, iss], ["c-1", stateOf(flow), "https://provider.example"]);
      assert.deepEqual(query, { code: "c-1", iss: "https://provider.example", state });
      await until(async () => (await figures()).connections === 0, "the client has disconnected");
      assert.equal((await figures()).pending, 0);
    });

    test("the provider's refusal reaches the application, and the page does not wait for a confirmation", async () => {
      const flow = await startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url });
      const startedMs = performance.now();
      const response = await fetch(callbackUrl(flow, { error: "access_denied", error_description: "Not you" }));
      assert.equal(response.status, 200);
      assert.ok(performance.now() - startedMs < underLoad(4_000));
      await assert.rejects(flow.waitForCode(), { code: "declined", providerDescription: "Not you" });
    });

    test("an answer from another issuer is not used", async () => {
      const flow = await startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url, issuer: "https://provider.example" });
      await fetch(callbackUrl(flow, { code: "c", iss: "https://attacker.example" }));
      await assert.rejects(flow.waitForCode(), { code: "issuer-mismatch" });
    });

    test("close ends the registration", async () => {
      const flow = await startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url });
      flow.close();
      await assert.rejects(flow.waitForCode(), { code: "aborted" });
      await until(async () => (await figures()).connections === 0, "the client has disconnected");
      assert.notEqual((await fetch(callbackUrl(flow, { code: "c" }))).status, 200);
    });

    test("a gateway address without a WebSocket is reported as unreachable", async () => {
      const gatewayWsUrl = `${gateway.wsUrl}/nowhere`;
      const starting = startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url, gatewayWsUrl, connectTimeoutMs: 500 });
      await assert.rejects(starting, { code: "gateway-unreachable" });
    });

    test("after the gateway is killed and started again, the state is registered again and the code arrives", async () => {
      await using fragile = await startGateway();
      const events: OAuthFlowEvent["type"][] = [];
      const onState = ({ type }: OAuthFlowEvent) => void events.push(type);
      const flow = await startOAuthFlow({ ...ASKED, gatewayUrl: fragile.url, onState });
      await fragile.kill("SIGKILL");
      await fragile.start();
      await until(() => events.filter((type) => type === "registered").length === 2, "the state is registered again");
      const query = new URLSearchParams({ code: "late", state: stateOf(flow) });
      assert.equal((await fetch(`${fragile.url}/callback?${query}`)).status, 200);
      assert.equal((await flow.waitForCode()).code, "late");
    });

    test("a user who comes back while the application has lost its connection waits, and then sees the code delivered", async () => {
      await using relay = await startCuttableRelay(gateway.port);
      const flow = await startOAuthFlow({ ...ASKED, gatewayUrl: gateway.url, gatewayWsUrl: relay.wsUrl });
      relay.cut();
      await until(async () => (await figures()).connections === 0, "the gateway has noticed the disconnect");
      await using seen = await visit(browser);
      await seen.page.goto(callbackUrl(flow, { code: "kept-by-the-browser" }));
      await seen.page.getByRole("heading", { name: /waiting/i }).waitFor();
      relay.mend();
      assert.equal((await flow.waitForCode()).code, "kept-by-the-browser");
      await seen.page
        .getByText(/close this (window|tab)/i)
        .first()
        .waitFor();
    });
  });

  // Packing, installing and checking types is slow. e2e/platform/login.suite.ts runs what is built in every run.
  suite("the package, installed from its tarball", { skip: !isLongRun }, () => {
    const { folder, built, ...sdk } = buildSdk({ installed: true });
    after(() => sdk[Symbol.dispose]());
    before(() => writeFileSync(join(folder, "flow.js"), PROGRAM));

    /** A third-party program: starts a flow, plays the provider, prints the result, and exits. */
    const PROGRAM = `
      const { startOAuthFlow } = await import("@backplane/sdk");
      const { openTokenStore } = await import("@backplane/sdk/tokens");
      const store = openTokenStore({ folder: "tokens" });
      const gatewayUrl = process.argv[2];
      const flow = await startOAuthFlow({ ...${JSON.stringify(ASKED)}, gatewayUrl });
      const state = new URL(flow.authRedirectUrl).searchParams.get("state");
      const { status } = await fetch(gatewayUrl + "/callback?code=c-1&state=" + state);
      const { code } = await flow.waitForCode();
      await store.write("example", "ada", { accessToken: "at", expiresAt: 1 });
      const { accessToken } = await store.read("example", "ada");
      console.log(JSON.stringify([status, code, accessToken]));
    `;

    const runWith = (node: string): unknown =>
      JSON.parse(execFileSync(node, ["flow.js", gateway.url], { cwd: folder, timeout: HANG_MS, encoding: "utf8" }));

    test("runs the flow", () => {
      assert.deepEqual(runWith(process.execPath), [200, "c-1", "at"]);
    });

    const olderNode = findOlderNode();
    test("runs the flow on Node 20", { skip: olderNode === undefined && "no Node 20 or 21 is on the PATH" }, () => {
      assert.deepEqual(runWith(String(olderNode)), [200, "c-1", "at"]);
    });

    test("has types that need nothing else from Backplane", () => {
      symlinkSync(join(ROOT, "node_modules/@types"), join(folder, "node_modules/@types"));
      writeFileSync(
        join(folder, "use.ts"),
        `import { type OAuthCode, startOAuthFlow } from "@backplane/sdk";
         import { readCredentials } from "@backplane/sdk/tokens";
         const { clientId }: { clientId: string } = await readCredentials("x.json");
         const flow = await startOAuthFlow({ provider: "p", authUrl: "https://p.example", clientId, scopes: "" });
         export const { code }: OAuthCode = await flow.waitForCode();
         // @ts-expect-error: proves that the types are found and checked.
         export const wrong: number = flow.redirectUri;`,
      );
      const flags = ["--noEmit", "--strict", "--skipLibCheck", "false", "--module", "nodenext", "--target", "es2022"];
      // Skip TypeScript's own declarations, which would take half of the time.
      flags.push("--skipDefaultLibCheck", "--types", "node");
      execFileSync(process.execPath, [join(ROOT, "node_modules/.bin/tsc"), ...flags, "use.ts"], { cwd: folder });
    });

    test("completes a flow in a browser, unbundled, without loading anything from Node", async () => {
      await using site = await serveFolder(built);
      await using seen = await visit(browser);
      const loaded: string[] = [];
      seen.page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
      await seen.page.goto(site.url);
      const redirect = await seen.page.evaluate(startInPage, { ...ASKED, gatewayUrl: gateway.url });
      const { searchParams } = new URL(redirect);
      assert.equal(searchParams.get("redirect_uri"), `${gateway.url}/callback`);
      const response = await fetch(callbackUrl({ authRedirectUrl: redirect }, { code: "for-the-page" }));
      assert.equal(response.status, 200);
      assert.equal(
        await seen.page.evaluate(() => (globalThis as unknown as { code: Promise<string> }).code),
        "for-the-page",
      );
      assert.ok(loaded.includes("/oauth/flow.js"));
      assert.deepEqual(
        loaded.filter((path) => /^\/(gateway\/(node-socket|frames)|tokens\/)/.test(path)),
        [],
      );
      assert.deepEqual(seen.complaints, []);
    });

    test("says what to do on a page loaded over plain http", async () => {
      await using seen = await visit(browser);
      await seen.page.route("http://plain.example/**", (route) => {
        const { pathname } = new URL(route.request().url());
        return route.fulfill(pathname === "/" ? PAGE : script(join(built, pathname)));
      });
      await seen.page.goto("http://plain.example/");
      await assert.rejects(seen.page.evaluate(startInPage, ASKED), /no WebCrypto here.*over https or from localhost/);
    });
  });
}

/** Runs in the page. */
async function startInPage(options: object): Promise<string> {
  const address = "/index.js";
  const { startOAuthFlow: start } = (await import(address)) as { startOAuthFlow: typeof startOAuthFlow };
  const flow = await start(options as Parameters<typeof startOAuthFlow>[0]);
  Object.assign(globalThis, { code: flow.waitForCode().then(({ code }) => code) });
  return flow.authRedirectUrl;
}
