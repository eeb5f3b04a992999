import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Frame, Page } from "playwright-core";
import type { Visit } from "../support/browser.ts";
import { clickInFrame } from "../support/mouse.ts";
import { until } from "../support/processes.ts";
import { type Driver, driverOf, openPage } from "../support/workspaces.ts";
import type { HostileBench } from "./bench.ts";

const ADD_FIELD = "document.body.append(Object.assign(document.createElement('input'), { id: 'field' }))";
const TAKE = "window.focus(); document.querySelector('#field').focus()";

/** Needs the whole browser: the engine alone keeps all frames in one process. */
export function testKeyboard(bench: () => HostileBench): void {
  let driver: Driver;
  let seen: Visit;
  let page: Page;
  let sandbox: string;
  /** A proxied site with a field, beside another site and a sandbox. */
  let login: Frame;
  let other: Frame;

  async function frameOf(path: string): Promise<Frame> {
    const find = () => page.frames().find((frame) => frame.url().endsWith(path));
    const heading = () => find()?.evaluate(() => document.querySelector("h1")?.textContent);
    await until(async () => (await heading()?.catch(() => undefined)) === "Bad", `${path} is shown`);
    const frame = find() as Frame;
    await frame.evaluate(ADD_FIELD);
    return frame;
  }
  const hasKeyboard = (frame: Frame): Promise<boolean> => frame.evaluate(() => document.hasFocus());
  const typed = (frame: Frame): Promise<string> => frame.locator("#field").inputValue();

  async function press(frame: Frame): Promise<void> {
    await clickInFrame(page, frame.locator("#field"));
    await until(() => hasKeyboard(frame), "the pressed frame has the keyboard");
    await until(() => page.evaluate(() => document.activeElement?.matches("iframe")), "the page knows that");
    // Its timers run in order: it has looked.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
  }

  before(async () => {
    const { workspaces, site, browser } = bench();
    driver = driverOf(workspaces, workspaces.pages, "keyboard");
    const initialState = (path: string) => ({ url: `${site.url}${path}`, proxyEnabled: true });
    const first = await driver.open("webview", { initialState: initialState("/?login") });
    const second = await driver.split(first.panelId, "webview", { initialState: initialState("/?other") });
    sandbox = (await driver.split(second.newPanelId, "sandbox")).newPanelId;
    seen = await openPage(browser, workspaces, "keyboard");
    ({ page } = seen);
    login = await frameOf("/?login");
    other = await frameOf("/?other");
    await driver.eval(sandbox, `${ADD_FIELD}; 1`);
  });
  after(() => seen?.[Symbol.asyncDispose]());

  test("the keyboard goes back when another panel's frame takes it, and into a frame that is pressed", async () => {
    await press(login);
    await other.evaluate(TAKE);
    await until(() => hasKeyboard(login), "the frame has the keyboard again");
    // By way of the page around them: nobody pressed there either.
    await other.evaluate(`parent.focus(); setTimeout(() => { ${TAKE} }, 100)`);
    await other.evaluate(() => new Promise((done) => setTimeout(done, 200)));
    await until(() => hasKeyboard(login), "the frame has the keyboard, once more");
    await page.keyboard.type("secret");
    assert.equal(await typed(other), "");

    await press(login);
    await page.keyboard.type("secret");
    await press(other);
    await page.keyboard.type("hello");
    assert.deepEqual([await typed(login), await typed(other)], ["secret", "hello"]);
  });

  test("code may take the keyboard from its own panel, and Tab leads into a frame", async () => {
    const inner = async () => (await driver.eval(sandbox, "document.hasFocus()")) as { result?: unknown };
    const slot = page.locator(".slot", { has: page.locator(".sandbox-frame") });
    await slot.getByRole("textbox").click();
    await driver.eval(sandbox, `${TAKE}; 1`);
    await until(async () => (await inner()).result === true, "code has the keyboard of its panel");

    await slot.getByRole("button", { name: "Reset" }).focus();
    await page.keyboard.press("Tab");
    await until(async () => (await inner()).result === true, "Tab led there");
    await page.keyboard.type("x");
    const { result } = (await driver.eval(sandbox, "document.querySelector('#field').value")) as { result?: unknown };
    assert.equal(result, "x");
  });

  test("code that keeps taking the keyboard is stopped, and so is a site; the keyboard stays where it was", async () => {
    await press(login);
    await driver.eval(sandbox, `setInterval(() => { ${TAKE} }, 5); 1`);
    await until(async () => (await driver.sandboxReport(sandbox)).standing === "gone", "the code is stopped");
    const answer = await driver.eval(sandbox, "1");
    assert.match(answer.status === "error" ? answer.error : "", /kept taking the keyboard/);

    await other.evaluate(`setInterval(() => { ${TAKE} }, 5)`);
    await page.getByText(/^\S+ kept taking the keyboard from another panel/).waitFor();
    await until(() => hasKeyboard(login), "the frame has the keyboard");
    await press(login);
    await page.keyboard.type("word");
    assert.match(await typed(login), /word/);
  });
}
