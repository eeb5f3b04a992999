import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { Browser, Page } from "playwright-core";
import { openWholeBrowser, visit } from "./support/browser.ts";
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
} from "./support/hostile-panels.ts";
import { signedInWindow } from "./support/person.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { connected, type Driver, driverOf, openPage, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

const PROJECT = "hostile";

let workspaces: Workspaces;
let browser: Browser;
let listener: Listener;
let driver: Driver;
let sandbox: string;
let page: Page;
/** Dialogs, downloads, errors and windows that a user of the page would notice. */
const disturbances: string[] = [];

before(async () => {
  [workspaces, browser, listener] = await Promise.all([
    startWorkspaces("one instance, embedded", { PROXY_ALLOW: "127.0.0.1/32" }),
    openWholeBrowser(),
    startListener(),
  ]);
  driver = driverOf(workspaces, workspaces.pages, PROJECT);
  sandbox = (await driver.open("sandbox")).panelId;
  const seen = await visit(browser, signedInWindow(workspaces.owner));
  page = seen.page;
  // Gives history.back() a target.
  await page.goto(`${workspaces.pages}/workspaces`);
  await page.goto(`${workspaces.pages}/w/${OWNER.name}/${PROJECT}`);
  await connected(page);
  page.on("dialog", (dialog) => {
    disturbances.push(`dialog ${dialog.type()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on("download", (download) => disturbances.push(`download ${download.url()}`));
  page.on("pageerror", (error) => disturbances.push(`error ${error.message}`));
  page.context().on("page", (opened) => disturbances.push(`window ${opened.url()}`));
});
after(async () => {
  await browser?.close();
  await listener?.[Symbol.asyncDispose]();
  await workspaces?.[Symbol.asyncDispose]();
});

/** The page has the same address, is connected and undisturbed, and nothing reached the listener. */
async function assertUntouched(what: string): Promise<void> {
  assert.equal(page.url(), `${workspaces.pages}/w/${OWNER.name}/${PROJECT}`, what);
  assert.equal(await page.locator("[data-connection=open]").count(), 1, what);
  assert.deepEqual(disturbances, [], what);
  assert.deepEqual(listener.heard, [], what);
}

async function tryAll(attempts: readonly Attempt[]): Promise<void> {
  for (const [what, code, outcome] of attempts) {
    const answer = await driver.eval(sandbox, `await ${attemptCode(code)}`);
    assert.equal(answer.status, "executed", `${what}: ${JSON.stringify(answer)}`);
    assert.match(String(answer.status === "executed" && answer.result), outcome, what);
  }
}

test("sandbox code cannot get out of its frame", async () => {
  await tryAll(REACHING_OUT);
  await assertUntouched("reaching out");
});

test("sandbox code learns nothing about the code that runs it", async () => {
  for (const [what, code, outcome] of CALLER_PROBES) {
    const answer = await driver.eval(sandbox, code);
    assert.equal(answer.status === "executed" && resultText(answer.result), outcome, what);
  }
  await driver.sandbox({ panelId: sandbox, action: "reset" });
});

const resultText = (result: unknown): string =>
  typeof result === "object" && result !== null ? String(Object.values(result)[0]) : String(result);

test("whatever built-ins code overwrites, later code still runs and returns its own results", async () => {
  for (const code of OVERWRITING) {
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
  await assertUntouched("replacing");
});

test("forged messages from a frame affect neither the page nor other calls", async () => {
  const other = driver.eval(sandbox, "await new Promise((done) => { window.finish = () => done('true') })");
  const forge = `for (const to of [parent, top, ...Array.from({ length: top.length }, (_, n) => top[n])]) for (const message of [${FORGED_MESSAGES.join(",")}]) {
    to.postMessage(message, "*"); const { port1, port2 } = new MessageChannel(); to.postMessage(message, "*", [port2]); port1.postMessage(message) }`;
  const forged = await driver.eval(sandbox, forge);
  assert.equal(forged.status, "executed", JSON.stringify(forged));
  assert.equal((await driver.sandboxReport(sandbox)).standing, "ready");
  await driver.eval(sandbox, "finish()");
  const { status, ...rest } = await other;
  assert.deepEqual([status, "result" in rest && rest.result], ["executed", "true"]);
  assert.equal(await page.evaluate(() => "polluted" in {} || JSON.stringify(Object.keys(Object.prototype))), "[]");
  assert.equal(await page.getByRole("tab", { name: "forged" }).count(), 0);
  await assertUntouched("forging");
});

test("results, errors and output that are too large are cut, and the page keeps working", async () => {
  const { maxResultBytes, maxLogs } = PANELS_LIMITS;
  for (const [what, code] of TOO_MUCH) {
    const answer = await driver.eval(sandbox, code);
    assert.ok(JSON.stringify(answer).length <= maxResultBytes + 100, `${what}: ${JSON.stringify(answer).length}`);
    assert.ok(answer.status !== "queued" && (answer.logs?.length ?? 0) <= maxLogs, what);
    assert.doesNotMatch(answer.status === "error" ? answer.error : "", /Reset/, what);
  }
  const { status, ...rest } = await driver.eval(sandbox, "'still here'");
  assert.deepEqual([status, "result" in rest && rest.result], ["executed", "still here"]);
  await assertUntouched("too much");
});

test("sandbox code cannot store anything", async () => {
  await tryAll(STORING);
  await assertUntouched("storing");
});

test("sandbox code cannot prompt people or ask for permissions", async () => {
  await tryAll(ASKING_PEOPLE);
  await assertUntouched("asking");
});

test("sandbox code cannot send requests, open windows or navigate the page", async () => {
  for (const attempt of networkAttempts(listener.url)) {
    await tryAll([attempt]);
    await assertUntouched(attempt[0]);
  }
});

test("sandbox code cannot use WebRTC either, not even from a nested frame", async () => {
  const own = driverOf(workspaces, workspaces.pages, "peers");
  const { panelId } = await own.open("sandbox");
  await using _window = await openPage(browser, workspaces, "peers");
  // The browser kills a frame that tries.
  await own.eval(panelId, webRtcAttempt(listener.packetPort), { timeoutMs: 2_000 });
  assert.deepEqual(listener.heard, []);
  assert.equal((await own.sandbox({ panelId, action: "reset" })).status, 204);
  assert.equal((await own.eval(panelId, "1")).status, "executed");
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
  await assertUntouched("channels");
});

test("code that navigates away is reported, reaches nothing, and a reset helps", async () => {
  for (const [what, code] of navigationAttempts(listener.url)) {
    await driver.eval(sandbox, code);
    await until(async () => (await driver.sandboxReport(sandbox)).standing === "gone", `${what}: reported as gone`);
    const answer = await driver.eval(sandbox, "1");
    assert.match(answer.status === "error" ? answer.error : "", /left its page. Reset the sandbox/, what);
    await assertUntouched(what);
    assert.equal((await driver.sandbox({ panelId: sandbox, action: "reset" })).status, 204);
    assert.deepEqual((await driver.eval(sandbox, "1 + 1")).status, "executed");
  }
});
