import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { EvalResult } from "@backplane/contract/panels";
import type { Browser, Page } from "puppeteer-core";
import { type Sample, sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { fill, openFirefox, openPage, press, shows } from "./support/firefox.ts";
import { signInAs } from "./support/person.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { startSigningIn } from "./support/program.ts";
import { pictureWithoutText, startViewer } from "./support/viewer.ts";
import { type Driver, driverOf, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

const MAX_BLOCK_MS = 1_000;

const errorOf = (answer: EvalResult): string => (answer.status === "error" ? answer.error : JSON.stringify(answer));

/** Code that never ends by itself, in every place where it can be stopped. */
const ENDLESS: readonly (readonly [what: string, code: string])[] = [
  ["a loop", "while (true);"],
  ["a loop that catches", "for (;;) try { for (;;); } catch {}"],
  ["microtasks", "queueMicrotask(function again() { queueMicrotask(again) }); await new Promise(() => {})"],
  ["promises", "await (function again() { return Promise.resolve().then(again) })()"],
  ["output", "for (let n = 0; ; n += 1) console.log('line', n)"],
  ["a timer", "setTimeout(() => { for (;;); }); await new Promise(() => {})"],
];

let workspaces: Workspaces;
let browser: Browser;
let page: Page;

suite("Firefox", { concurrency: 1 }, smoke);

async function signIn(): Promise<void> {
  await fill(page, "Name or email", OWNER.name);
  await page.locator("input[type=password]").fill(OWNER.password);
  await press(page, "Sign in");
}

function smoke(): void {
  before(async () => {
    [workspaces, browser] = await Promise.all([startWorkspaces("one instance, embedded"), openFirefox()]);
    page = await openPage(browser);
  });
  after(async () => {
    await browser?.close();
    await workspaces?.[Symbol.asyncDispose]();
  });

  test("a person signs in, and approves a program", async () => {
    await page.goto(`${workspaces.pages}/auth/sign-in`);
    await signIn();
    await shows(page, "Overview");
    // By one address: with two callers the page asks for a second look.
    using program = await startSigningIn(workspaces.instances[0]?.url ?? "", { appName: "bench-agent" });
    await page.goto(program.link.url);
    await shows(page, `A program asks to sign in as ${OWNER.name}`);
    await press(page, "Approve");
    await shows(page, "bench-agent is signed in");
    assert.match((await program.signedIn).sessionToken, /^tok_/);
  });

  test("a published package is found", async () => {
    const sample: Sample = { identifier: "org.example.router", metadata: { name: "Patient router" } };
    const { cookie } = await signInAs(workspaces.pages);
    const published = await fetch(`${workspaces.pages}/registry/packages`, {
      method: "POST",
      headers: { "content-type": "application/zip", origin: workspaces.pages, cookie },
      body: new Uint8Array(sampleArchive(sample)),
    });
    assert.equal(published.status, 201);
    await page.goto(`${workspaces.pages}/packages`);
    await page.locator("input[type=search]").fill("patient");
    await page.locator("a::-p-text(Patient router)").click();
    await shows(page, "org.example.router");
    await until(() => page.url().endsWith("/packages/org.example.router"), "its page is open");
  });

  test("a pasted picture is saved", async () => {
    await using viewer = await startViewer();
    const base64 = (await pictureWithoutText("#27c", 64, 40)).toString("base64");
    await page.goto(`${viewer.pages}/screenshot-paste`);
    await shows(page, "to paste");
    await page.evaluate((encoded) => {
      const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], "image.png", { type: "image/png" }));
      // No clipboard of a headless Firefox has pictures.
      const event = new Event("paste", { bubbles: true, cancelable: true });
      document.body.dispatchEvent(Object.defineProperty(event, "clipboardData", { value: clipboardData }));
    }, base64);
    await until(() => viewer.files().length === 2, "both files are there");
  });

  suite("workspace", { concurrency: 1 }, workspace);
}

function workspace(): void {
  let driver: Driver;
  let sandbox: string;
  let sibling: string;

  before(async () => {
    driver = driverOf(workspaces, workspaces.pages, "firefox");
    sandbox = (await driver.open("sandbox")).panelId;
    sibling = (await driver.split(sandbox, "sandbox")).newPanelId;
    await page.goto(`${workspaces.pages}/w/${OWNER.name}/firefox`);
    await page.waitForSelector("[data-connection=open]");
  });

  const answers = async (panelId: string) => {
    const answer = await driver.eval(panelId, "6 * 7");
    assert.equal(answer.status === "executed" && answer.result, 42, JSON.stringify(answer));
  };

  test("eval: declarations persist, await works, errors are reported, and the frame cannot be left", async () => {
    await answers(sandbox);
    await driver.eval(sandbox, "let part = await Promise.resolve({ id: 'MD340' })");
    const kept = await driver.eval(sandbox, "console.warn('hot'); document.body.textContent = part.id; part.id");
    assert.ok(kept.status === "executed" && kept.result === "MD340" && kept.logs?.[0]?.text === "hot");
    assert.match(errorOf(await driver.eval(sandbox, "null.pin")), /TypeError/);
    assert.match(errorOf(await driver.eval(sandbox, "top.document.title")), /denied|SecurityError/i);
    assert.match(errorOf(await driver.eval(sandbox, "await fetch('/')")), /TypeError|NetworkError/);
  });

  for (const [what, code] of ENDLESS) {
    test(`code that never ends (${what}) is stopped; its caller gets an error, the page and the other sandbox go on`, async () => {
      const answer = await driver.eval(sandbox, code, { timeoutMs: 3 * MAX_BLOCK_MS });
      assert.match(errorOf(answer), /Stopped (waiting )?after [13] s/);
      await answers(sibling);
      assert.equal(await page.evaluate(() => 1), 1);
      // Without a reset.
      await answers(sandbox);
    });
  }

  test("a result that never ends is shown as a console would show it", async () => {
    const answer = await driver.eval(sandbox, "({ toJSON() { for (;;); } })");
    assert.equal(answer.status === "executed" && answer.result, "{ toJSON: [Function toJSON] }");
    await answers(sibling);
  });

  test("a reset gives a new sandbox", async () => {
    await driver.eval(sandbox, "var kept = 1");
    assert.equal((await driver.sandbox({ panelId: sandbox, action: "reset" })).status, 204);
    const after = await driver.eval(sandbox, "typeof kept");
    assert.equal(after.status === "executed" && after.result, "undefined");
  });
}
