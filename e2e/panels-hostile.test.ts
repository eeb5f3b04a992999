import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser, visit } from "./support/browser.ts";
import {
  ASKING_PEOPLE,
  type Attempt,
  attempting,
  calling,
  type Listener,
  leaving,
  REACHING_OUT,
  STORING,
  startListener,
} from "./support/hostile-panels.ts";
import { signedInWindow } from "./support/person.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { connected, type Driver, driverOf, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

const PROJECT = "hostile";

let workspaces: Workspaces;
let browser: Browser;
let listener: Listener;
let driver: Driver;
let sandbox: string;
let page: Page;
/** What must not happen to whoever has the page open. */
const disturbances: string[] = [];

before(async () => {
  [workspaces, browser, listener] = await Promise.all([
    startWorkspaces("one instance, embedded", { PROXY_ALLOW: "127.0.0.1/32" }),
    openBrowser(),
    startListener(),
  ]);
  driver = driverOf(workspaces, workspaces.pages, PROJECT);
  sandbox = (await driver.open("sandbox")).panelId;
  const seen = await visit(browser, signedInWindow(workspaces.owner));
  page = seen.page;
  // Somewhere to be sent back to.
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

/** The page is where it was, shows what it showed and was not disturbed; nobody outside heard anything. */
async function assertUntouched(what: string): Promise<void> {
  assert.equal(page.url(), `${workspaces.pages}/w/${OWNER.name}/${PROJECT}`, what);
  assert.equal(await page.locator("[data-connection=open]").count(), 1, what);
  assert.deepEqual(disturbances, [], what);
  assert.deepEqual(listener.heard, [], what);
}

async function tryAll(attempts: readonly Attempt[]): Promise<void> {
  for (const [what, code, outcome] of attempts) {
    const t0=Date.now();const answer = await driver.eval(sandbox, attempting(code));console.log(what, Date.now()-t0);
    assert.equal(answer.status, "executed", `${what}: ${JSON.stringify(answer)}`);
    assert.match(String(answer.status === "executed" && answer.result), outcome, what);
  }
}

test("code of a sandbox does not get out of its frame", async () => {
  await tryAll(REACHING_OUT);
  await assertUntouched("reaching out");
});

test("code of a sandbox keeps nothing", async () => {
  await tryAll(STORING);
  await assertUntouched("storing");
});

test("code of a sandbox asks people for nothing", async () => {
  await tryAll(ASKING_PEOPLE);
  await assertUntouched("asking");
});

test("code of a sandbox calls nobody, opens nothing and takes the page nowhere", async () => {
  for (const attempt of calling(listener.url)) {
    await tryAll([attempt]);
    await assertUntouched(attempt[0]);
  }
});

test("code that leaves its document is told so, reaches nothing, and a reset helps", async () => {
  for (const [what, code] of leaving(listener.url)) {
    await driver.eval(sandbox, code);
    await until(async () => (await driver.sandboxReport(sandbox)).standing === "gone", `${what}: it is gone`);
    const answer = await driver.eval(sandbox, "1");
    assert.match(answer.status === "error" ? answer.error : "", /left its page. Reset the sandbox/, what);
    await assertUntouched(what);
    assert.equal((await driver.sandbox({ panelId: sandbox, action: "reset" })).status, 204);
    assert.deepEqual((await driver.eval(sandbox, "1 + 1")).status, "executed");
  }
});
