import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { before, beforeEach, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { WatchdogSnapshot, WatchdogStatus } from "@backplane/contract/gateway";
import type { Browser, Page } from "playwright-core";
import { CLI, Program, plainEnvironment, portSettings, type RunningBackplane } from "../support/backplane.ts";
import { changePerson, type Visit, visit } from "../support/browser.ts";
import { assertFlawlessInEveryLook, axeViolations } from "../support/looks.ts";
import { isAlive, resume, until } from "../support/processes.ts";
import type { Bench } from "./bench.ts";

/** Three checks ten seconds apart, up to two seconds each; then SIGTERM without effect, SIGKILL, and the start. */
const HUNG_RESTART_MS = 75_000;

/** No violations of any impact. */
async function assertNoViolations(page: Page): Promise<void> {
  const violations = await axeViolations(page);
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
  );
}

export function testWatchdog(bench: () => Bench): void {
  let backplane: RunningBackplane;
  let browser: Browser;
  let seen: Visit;
  let page: Page;
  before(async () => {
    ({ backplane, browser, seen, page } = bench());
    await changePerson(page);
  });

  async function get<T>(path: string): Promise<T> {
    return (await (await fetch(backplane.url("watchdog", path))).json()) as T;
  }
  const status = () => get<WatchdogStatus>("/status");
  const snapshot = () => get<WatchdogSnapshot>("/snapshot");

  async function post(path: string, body?: unknown): Promise<WatchdogStatus> {
    const response = await fetch(backplane.url("watchdog", path), {
      method: "POST",
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    assert.equal(response.status, 200);
    return (await response.json()) as WatchdogStatus;
  }
  const gatewayAnswers = async () =>
    (await fetch(backplane.url("gateway", "/health")).catch(() => undefined))?.ok === true;

  async function runCli(...args: string[]): Promise<{ code: number | null; output: string }> {
    const program = new Program(process.execPath, [CLI, "gateway", ...args], {
      cwd: backplane.home,
      env: { ...plainEnvironment(), ...portSettings(backplane.ports), BACKPLANE_HOME: backplane.home },
    });
    const code = await program.ended();
    return { code, output: program.output };
  }

  test("a killed gateway is restarted at once, and the restart is counted", async () => {
    const before = await status();
    process.kill(before.gateway.pid ?? 0, "SIGKILL");
    await until(async () => (await status()).restarts === before.restarts + 1, "restarted");
    await until(async () => (await status()).gateway.state === "running" && (await gatewayAnswers()), "running again");
    assert.notEqual((await status()).gateway.pid, before.gateway.pid);
    const { events } = await snapshot();
    assert.ok(events.some(({ says }) => says === "Gateway ended by SIGKILL"));
  });

  test("a gateway, platform or viewer that hangs is restarted after 3 failed checks", async () => {
    const before = await status();
    const pid = before.gateway.pid ?? 0;
    const others = (["platform", "viewer"] as const).map((name) => ({ name, hung: backplane.pidOf(name) }));
    for (const hung of [pid, ...others.map(({ hung }) => hung)]) process.kill(hung, "SIGSTOP");
    // Poll slowly, because it takes half a minute.
    const statusSoon = () => sleep(250).then(status);
    await until(async () => (await statusSoon()).consecutiveFailures === 2, "two failures", HUNG_RESTART_MS);
    assert.equal((await status()).restarts, before.restarts);
    await until(async () => (await statusSoon()).restarts === before.restarts + 1, "restarted", HUNG_RESTART_MS);
    await until(async () => (await status()).gateway.state === "running" && (await gatewayAnswers()), "running again");
    assert.equal(isAlive(pid), false);
    await until(async () => {
      const { checks, events } = await sleep(100).then(snapshot);
      const outcomes = checks.map(({ outcome }) => outcome).join(" ");
      return (
        outcomes.includes("failed failed failed") && events.some(({ says }) => /^Gateway responds again/.test(says))
      );
    }, "three failures, then a response");
    for (const { name, hung } of others) {
      await backplane.program.prints(
        new RegExp(`${name} +failed 3 checks in a row \\(process ${hung}\\)`),
        HUNG_RESTART_MS,
      );
      await backplane.program.prints(new RegExp(`${name} +running again`));
      assert.equal(isAlive(hung), false);
      assert.equal((await fetch(backplane.url(name, "/health"))).status, 200);
    }
  });

  test("stop prevents the restart; start and restart bring the gateway back, each in a new process", async () => {
    const { pid } = (await status()).gateway;
    const stopped = await post("/stop");
    assert.deepEqual(stopped.gateway, { state: "stopped", pid: null, uptime: null });
    assert.equal(isAlive(pid ?? 0), false);
    // After the next check it is still down.
    await until(
      async () => (await sleep(100).then(snapshot)).checks.at(-1)?.outcome === "none",
      "the next check has run",
    );
    assert.equal((await status()).gateway.state, "stopped");
    const started = await post("/start");
    assert.equal(started.gateway.state, "running");
    assert.equal(await gatewayAnswers(), true);
    const restarted = await post("/restart");
    assert.equal(restarted.gateway.state, "running");
    assert.equal(new Set([pid, started.gateway.pid, restarted.gateway.pid]).size, 3);
  });

  test("with automatic restart off, a killed gateway stays down until it is started", async () => {
    assert.equal((await post("/watchdog", { enabled: false })).autoRestart, false);
    process.kill((await status()).gateway.pid ?? 0, "SIGKILL");
    await until(async () => (await status()).gateway.state === "failed", "the gateway has failed");
    assert.equal((await runCli("status")).code, 1);
    const started = await runCli("start");
    assert.equal(started.code, 0);
    assert.match(started.output, /^● Gateway is running\n/);
    assert.equal((await post("/watchdog")).autoRestart, true);
  });

  test("the command shows, stops, starts and watches the gateway", async () => {
    await using watching = new Program(process.execPath, [CLI, "gateway", "watch", "--json"], {
      cwd: backplane.home,
      env: { ...plainEnvironment(), ...portSettings(backplane.ports), BACKPLANE_HOME: backplane.home },
    });
    await watching.prints(/"says":"Gateway is running/);
    await until(
      async () => / waiting$/.test((await sleep(100).then(snapshot)).summary.detail),
      "the first check since the start",
    );
    const { code, output } = await runCli("status");
    assert.equal(code, 0);
    assert.match(output, /● Gateway is running\n {2}Process \d+, up .*, no application waiting\n/);
    assert.equal((await runCli("stop")).code, 0);
    await watching.prints(/"says":"Gateway stopped","state":"stopped"/);
    assert.equal((await runCli("start", "--json")).code, 0);
    await watching.prints(/"says":"Gateway started, process \d+","state":"running"/);
    assert.equal(await watching.stop("SIGINT"), 0);
  });

  suite("the page", () => {
    beforeEach(() => {
      seen.complaints.length = 0;
    });

    test("shows the gateway running in every look, loads nothing from elsewhere, and axe finds nothing", async () => {
      const { complaints } = seen;
      await page.goto(backplane.url("watchdog"));
      await page.getByRole("heading", { level: 1, name: "Gateway is running" }).waitFor();
      await page.getByText("Live", { exact: true }).waitFor();
      await page.getByText("Last lines of output").click();
      await page.getByRole("region", { name: /output/ }).waitFor();
      await assertFlawlessInEveryLook(page, "running");
      assert.deepEqual(complaints, []);
    });

    test("updates without a reload, and its buttons work by keyboard", async () => {
      const { complaints } = seen;
      await page.goto(backplane.url("watchdog"));
      await page.evaluate(() => Object.assign(window, { sameDocument: true }));
      const { pid } = (await status()).gateway;
      process.kill(pid ?? 0, "SIGKILL");
      await page.getByText("Gateway ended by SIGKILL").first().waitFor();
      await page.getByText(/^Process \d+, up/).waitFor();

      await page.getByRole("button", { name: "Stop" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Gateway is stopped" }).waitFor();
      assert.equal((await status()).gateway.state, "stopped");
      await page.getByRole("status").getByText("Gateway is stopped").waitFor({ state: "attached" });
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Start");
      await assertNoViolations(page);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Gateway is running" }).waitFor();

      const toggle = page.getByRole("switch", { name: "Restart automatically" });
      assert.equal(await toggle.getAttribute("aria-checked"), "true");
      await toggle.focus();
      await page.keyboard.press("Space");
      await page.getByRole("switch", { checked: false }).waitFor();
      assert.equal((await status()).autoRestart, false);
      await page.keyboard.press("Space");
      await page.getByRole("switch", { checked: true }).waitFor();
      assert.equal(await page.evaluate(() => "sameDocument" in window), true);
      assert.deepEqual(complaints, []);
    });

    test("shows when the watchdog does not answer, and when it is back", async () => {
      await page.goto(backplane.url("watchdog"));
      await page.getByText("Live", { exact: true }).waitFor();
      const pid = backplane.pidOf("watchdog");
      process.kill(pid, "SIGSTOP");
      await page
        .getByRole("alert")
        .getByText(/^The watchdog has not responded since \d\d:\d\d:\d\d\. Start Backplane again\./)
        .waitFor();
      assert.equal(await page.getByRole("button", { name: "Stop" }).getAttribute("aria-disabled"), "true");
      await assertNoViolations(page);
      resume(pid);
      await page.getByText("Live", { exact: true }).waitFor();
      assert.equal(await page.getByRole("alert").isVisible(), false);
    });
  });

  test("without JavaScript the page is correct and its forms work", async () => {
    await using seen = await visit(browser, { javaScriptEnabled: false });
    const { page } = seen;
    await page.goto(backplane.url("watchdog"));
    await page.locator("noscript").getByRole("link", { name: "Reload" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("heading", { level: 1, name: "Gateway is stopped" }).waitFor();
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("heading", { level: 1, name: "Gateway is running" }).waitFor();
    await page.getByRole("switch").click();
    await page.getByRole("switch", { checked: false }).waitFor();
    await page.getByRole("switch").click();
    await page.getByRole("switch", { checked: true }).waitFor();
    assert.deepEqual(seen.complaints, []);
  });

  test("another site's page cannot stop the gateway", async (t) => {
    const form = `<form method="post" action="${backplane.url("watchdog", "/stop")}"><button>Win</button></form>`;
    const site = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end(form);
    }).listen(0, "127.0.0.1");
    await once(site, "listening");
    t.after(() => {
      site.closeAllConnections();
      site.close();
    });
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}`);
    const [response] = await Promise.all([page.waitForResponse(/\/stop$/), page.getByRole("button").click()]);
    assert.equal(response.status(), 403);
    assert.equal((await status()).gateway.state, "running");
  });

  // The last test: it reads the logs of all the others.
  test("from another address everything but health needs the token, which is never logged", async (t) => {
    const [address] = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => address);
    if (address === undefined) return t.skip("this machine has no address but loopback");
    const token = readFileSync(join(backplane.home, "watchdog-token"), "utf8").trim();
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`http://${address}:${backplane.ports.watchdog}${path}`, { headers });
      await response.arrayBuffer();
      return response.status;
    };
    for (const path of ["/", "/status", "/snapshot", "/parts", "/metrics"]) {
      assert.equal(await ask(path), 401, path);
      assert.equal(await ask(path, { authorization: "Bearer wrong" }), 401, path);
      assert.equal(await ask(path, { authorization: `Bearer ${token}` }), 200, path);
    }
    assert.equal(await ask("/health"), 200);
    assert.equal((await fetch(backplane.url("watchdog", "/status"))).status, 200);
    await backplane.program.stop("SIGINT");
    for (const name of readdirSync(join(backplane.home, "logs"))) {
      assert.ok(!readFileSync(join(backplane.home, "logs", name), "utf8").includes(token), name);
    }
    assert.ok(!backplane.program.output.includes(token));
  });
}
