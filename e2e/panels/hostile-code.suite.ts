import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { Frame, Page } from "playwright-core";
import { someOf } from "../../scripts/testing/long.ts";
import { type Visit, visit } from "../support/browser.ts";
import { addressIn, type FramedSite, isProxied, MODES, type Mode } from "../support/framed-site.ts";
import {
  ASKING_PEOPLE,
  type Attempt,
  attemptCode,
  CALLER_PROBES,
  FORGED_MESSAGES,
  type Listener,
  navigationAttempts,
  networkAttempts,
  OVERWRITING,
  REACHING_OUT,
  STORING,
  startListener,
  TOO_MUCH,
  webRtcAttempt,
} from "../support/hostile-panels.ts";
import { signedInWindow } from "../support/person.ts";
import { OWNER } from "../support/platform.ts";
import { until } from "../support/processes.ts";
import { assertUndisturbed, noteDisturbances } from "../support/undisturbed.ts";
import { connected, type Driver, driverOf, type Workspaces } from "../support/workspaces.ts";
import type { HostileBench } from "./bench.ts";

let workspaces: Workspaces;
let listener: Listener;
let site: FramedSite;
let driver: Driver;
let sandbox: string;
let seen: Visit;
let page: Page;
/** Dialogs, downloads, errors and windows that a user of the page would notice. */
let disturbances: string[] = [];

async function openHostile(bench: HostileBench, project: string): Promise<void> {
  ({ workspaces, site } = bench);
  listener = await startListener();
  driver = driverOf(workspaces, workspaces.pages, project);
  sandbox = (await driver.open("sandbox")).panelId;
  seen = await visit(bench.browser, signedInWindow(workspaces.owner));
  page = seen.page;
  // Gives history.back() a target.
  await page.goto(`${workspaces.pages}/workspaces`);
  await page.goto(addressOf(project));
  await connected(page);
  disturbances = noteDisturbances(page);
  page.on("pageerror", (error) => disturbances.push(`error ${error.message}`));
}

const addressOf = (project: string): string => `${workspaces.pages}/w/${OWNER.name}/${project}`;

/** The page has the same address and cookies, is connected and undisturbed, and nothing reached the listener. */
async function assertUntouched(project: string, what: string): Promise<void> {
  await assertUndisturbed(page, workspaces, { address: addressOf(project), disturbances, what });
  assert.deepEqual(listener.heard, [], what);
}

async function tryAll(attempts: readonly Attempt[]): Promise<void> {
  for (const [what, code, outcome] of attempts) {
    const answer = await driver.eval(sandbox, `await ${attemptCode(code)}`);
    assert.equal(answer.status, "executed", `${what}: ${JSON.stringify(answer)}`);
    assert.match(String(answer.status === "executed" && answer.result), outcome, what);
  }
}

const resultText = (result: unknown): string =>
  typeof result === "object" && result !== null ? String(Object.values(result)[0]) : String(result);

/** Code that tries to get out of its frame. */
export function testHostileCode(bench: () => HostileBench): void {
  const PROJECT = "hostile";
  before(() => openHostile(bench(), PROJECT));
  after(async () => {
    for (const each of [seen, listener]) await each?.[Symbol.asyncDispose]();
  });

  test("sandbox code cannot get out of its frame", async () => {
    await tryAll(REACHING_OUT);
    await assertUntouched(PROJECT, "reaching out");
  });

  test("sandbox code learns nothing about the code that runs it", async () => {
    for (const [what, code, outcome] of CALLER_PROBES) {
      const answer = await driver.eval(sandbox, code);
      assert.equal(answer.status === "executed" && resultText(answer.result), outcome, what);
    }
    await driver.sandbox({ panelId: sandbox, action: "reset" });
  });

  test("whatever built-ins code overwrites, later code still runs and returns its own results", async () => {
    for (const code of someOf(OVERWRITING, 3)) {
      assert.notEqual((await driver.eval(sandbox, code)).status, "queued", code);
      const { status, ...rest } = await driver.eval(sandbox, "[1, 'two', { three: 3 }]");
      assert.equal(status, "executed", `${code}: ${JSON.stringify(rest)}`);
      assert.deepEqual("result" in rest && rest.result, [1, "two", { three: 3 }], code);
      const late = await driver.eval(sandbox, "await (async () => 'late')()");
      assert.ok(
        late.status === "error" || (late.status === "executed" && late.result === "late"),
        `${code}: ${JSON.stringify(late)}`,
      );
      assert.equal((await driver.sandbox({ panelId: sandbox, action: "reset" })).status, 204);
    }
    await assertUntouched(PROJECT, "replacing");
  });

  test("forged messages from a frame affect neither the page nor other calls", async () => {
    const patient = { timeoutMs: PANELS_LIMITS.maxEvalTimeoutMs };
    const waits = "await new Promise((done) => { window.finish = () => done('true') })";
    const other = driver.eval(sandbox, waits, patient);
    // It waits between its targets: code that keeps a shared thread for a second is stopped.
    const forge = `for (const to of [parent, top, ...Array.from({ length: top.length }, (_, n) => top[n])]) {
      await new Promise((done) => setTimeout(done));
      for (const message of [${FORGED_MESSAGES.join(",")}]) {
        to.postMessage(message, "*");
        const { port1, port2 } = new MessageChannel();
        to.postMessage(message, "*", [port2]);
        port1.postMessage(message);
      }
    }`;
    const forged = await driver.eval(sandbox, forge, patient);
    assert.equal(forged.status, "executed", JSON.stringify(forged));
    assert.equal((await driver.sandboxReport(sandbox)).standing, "ready");
    await driver.eval(sandbox, "finish()", patient);
    const { status, ...rest } = await other;
    assert.deepEqual([status, "result" in rest && rest.result], ["executed", "true"]);
    assert.equal(await page.evaluate(() => "polluted" in {} || JSON.stringify(Object.keys(Object.prototype))), "[]");
    assert.equal(await page.getByRole("tab", { name: "forged" }).count(), 0);
    await assertUntouched(PROJECT, "forging");
  });

  test("results, errors and output that are too large are cut, and the page keeps working", async () => {
    const { maxResultBytes, maxLogs } = PANELS_LIMITS;
    for (const [what, code] of someOf(TOO_MUCH, 2)) {
      const answer = await driver.eval(sandbox, code);
      assert.ok(JSON.stringify(answer).length <= maxResultBytes + 100, `${what}: ${JSON.stringify(answer).length}`);
      assert.ok(answer.status !== "queued" && (answer.logs?.length ?? 0) <= maxLogs, what);
      assert.doesNotMatch(answer.status === "error" ? answer.error : "", /Reset/, what);
    }
    const { status, ...rest } = await driver.eval(sandbox, "'still here'");
    assert.deepEqual([status, "result" in rest && rest.result], ["executed", "still here"]);
    await assertUntouched(PROJECT, "too much");
  });

  test("sandbox code cannot store anything", async () => {
    await tryAll(STORING);
    await assertUntouched(PROJECT, "storing");
  });

  test("sandboxes cannot communicate with each other", async () => {
    const other = await driver.split(sandbox, "sandbox");
    const hear =
      "window.heard = []; for (const name of ['x', '']) new BroadcastChannel(name).onmessage = ({ data }) => heard.push(data)";
    await driver.eval(other.newPanelId, `${hear}; addEventListener("message", ({ data }) => heard.push(data)); 0`);
    await driver.eval(
      sandbox,
      `${hear}; const sent = new BroadcastChannel("x"); sent.postMessage("hello");
    await new Promise((done) => { new BroadcastChannel("x").onmessage = done; sent.postMessage("again"); })`,
    );
    const { status, ...rest } = await driver.eval(other.newPanelId, "heard");
    assert.deepEqual([status, "result" in rest && rest.result], ["executed", []]);
    await driver.call("DELETE", `${driver.current}/tabs`, { tabId: other.tabId });
    await assertUntouched(PROJECT, "channels");
  });

  test("code that navigates away is reported, reaches nothing, and a reset helps", async () => {
    for (const [what, code] of someOf(navigationAttempts(listener.url), 2)) {
      await driver.eval(sandbox, code);
      await until(async () => (await driver.sandboxReport(sandbox)).standing === "gone", `${what}: reported as gone`);
      const answer = await driver.eval(sandbox, "1");
      assert.match(answer.status === "error" ? answer.error : "", /left its page. Reset the sandbox/, what);
      await assertUntouched(PROJECT, what);
      assert.equal((await driver.sandbox({ panelId: sandbox, action: "reset" })).status, 204);
      const after = await driver.eval(sandbox, "1 + 1", { timeoutMs: PANELS_LIMITS.maxEvalTimeoutMs });
      assert.equal(after.status, "executed", `${what}: ${JSON.stringify(after)}`);
    }
  });
}

/** Needs the whole browser: prompts, permissions, windows and hints about addresses are not part of the engine. */
export function testPrompts(bench: () => HostileBench): void {
  const PROJECT = "hostile-prompts";
  let webview: string;
  before(async () => {
    await openHostile(bench(), PROJECT);
    webview = (await driver.split(sandbox, "webview")).newPanelId;
  });
  // The window closes with the browser: the last test leaves Playwright a page that it has given up.
  after(() => listener?.[Symbol.asyncDispose]());

  async function show(mode: Mode): Promise<Frame> {
    const path = `/?visit=${MODES.indexOf(mode)}`;
    await driver.webview({ panelId: webview, action: "setProxyEnabled", enabled: isProxied(mode) });
    await driver.webview({ panelId: webview, action: "navigate", url: `${addressIn(site, mode)}${path}` });
    const shown = () => page.frames().find((frame) => frame.url().endsWith(path));
    const heading = () => shown()?.evaluate(() => document.querySelector("h1")?.textContent);
    await until(async () => (await heading()?.catch(() => undefined)) === "Bad", `the site is shown ${mode}`);
    return shown() as Frame;
  }

  test("code that floods the page with messages is stopped, and a reset helps", async () => {
    const flood = "setInterval(() => { for (let n = 0; n < 5_000; n += 1) top.postMessage(0, '*') }, 0); 1";
    await driver.eval(sandbox, flood);
    await until(async () => (await driver.sandboxReport(sandbox)).standing === "gone", "it is stopped");
    const answer = await driver.eval(sandbox, "1");
    assert.match(answer.status === "error" ? answer.error : "", /more messages than that can take. Reset the sandbox/);
    assert.equal((await driver.sandbox({ panelId: sandbox, action: "reset" })).status, 204);
    assert.deepEqual((await driver.eval(sandbox, "1 + 1")).status, "executed");
    await assertUntouched(PROJECT, "a flood");
  });

  test("sandbox code cannot prompt people or ask for permissions", async () => {
    await tryAll(ASKING_PEOPLE);
    await assertUntouched(PROJECT, "asking");
  });

  test("sandbox code cannot send requests, open windows or navigate the page", async () => {
    for (const attempt of networkAttempts(listener.url)) {
      await tryAll([attempt]);
      await assertUntouched(PROJECT, attempt[0]);
    }
  });

  for (const mode of MODES) {
    test(`a site shown ${mode} cannot prompt people or ask for permissions`, async () => {
      const frame = await show(mode);
      for (const [what, code, outcome] of ASKING_PEOPLE) {
        assert.match(String(await frame.evaluate(attemptCode(code))), outcome, `${what}, ${mode}`);
        await assertUntouched(PROJECT, `${what}, ${mode}`);
      }
    });
  }

  test("sandbox code cannot use WebRTC either, not even from a nested frame", async () => {
    const own = driverOf(workspaces, workspaces.pages, "peers");
    const { panelId } = await own.open("sandbox");
    // Without the frames of earlier tests: the browser kills a frame that tries, and Playwright gives up on the page.
    await page.goto(addressOf("peers"));
    await connected(page);
    await own.eval(panelId, webRtcAttempt(listener.packetPort), { timeoutMs: 2_000 });
    assert.deepEqual([disturbances, listener.heard], [[], []]);
    assert.equal((await own.sandbox({ panelId, action: "reset" })).status, 204);
    assert.equal((await own.eval(panelId, "1")).status, "executed");
  });
}
