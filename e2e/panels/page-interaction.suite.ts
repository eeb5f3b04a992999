import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../support/processes.ts";
import { driverOf } from "../support/workspaces.ts";
import { type BrowserBench, frameAt, slotOf } from "./bench.ts";
import { becomes, centreOf, dialog, drag, shows, tab } from "./page-bench.ts";

/** The splitter between two panels side by side. */
const handleOf = (page: Page) => page.locator("[role=separator][aria-orientation=vertical]").first();
const ratioOf = (page: Page) => handleOf(page).getAttribute("aria-valuenow").then(Number);
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute("role") ?? document.activeElement?.tagName);

/** Changing the layout by mouse and by keyboard. */
export function testInteraction(bench: () => BrowserBench): void {
  const at = (repo: string) => driverOf(bench().workspaces, bench().workspaces.pages, repo);

  test("by mouse: open from the catalog, split, move, resize, maximise, rename, close, undo", async () => {
    const driver = at("mouse");
    const seen = await bench().windows.show(0, "mouse");
    const { page } = seen;
    const menu = (name: string) => page.getByRole("menuitem", { name });

    await page.getByRole("main").getByRole("button", { name: "Add panel" }).click();
    await dialog(page, "Add a panel")
      .getByRole("option", { name: /^LED control/ })
      .dblclick();
    await becomes(driver, "[led]");
    await page.getByRole("banner").getByRole("button", { name: "Add panel" }).click();
    await dialog(page, "Add a panel").getByRole("option", { name: /^GPIO/ }).click();
    await dialog(page, "Add a panel")
      .getByRole("button", { name: /in a new split$/ })
      .click();
    await becomes(driver, "([led] | [gpio])");
    await page.getByRole("button", { name: "Panel menu, GPIO" }).click();
    await menu("Split below").click();
    await dialog(page, "Add a panel").getByRole("option", { name: /^IMU/ }).click();
    await dialog(page, "Add a panel").getByRole("button", { name: "Add IMU" }).click();
    await becomes(driver, "([led] | ([gpio] / [imu]))");

    await shows(page, driver);
    await drag(page, await centreOf(tab(page, "IMU")), await centreOf(tab(page, "LED control"), { x: 0.95, y: 0.5 }));
    await becomes(driver, "(led [imu] | [gpio])");
    const body = slotOf(
      page,
      await page.locator(".tab", { hasText: "GPIO" }).first().getAttribute("data-tab").then(String),
    );
    await shows(page, driver);
    await drag(page, await centreOf(tab(page, "LED control")), await centreOf(body, { x: 0.5, y: 0.95 }));
    await becomes(driver, "([imu] | ([gpio] / [led]))");

    await shows(page, driver);
    const before = await ratioOf(page);
    const handle = await centreOf(handleOf(page));
    await drag(page, handle, { x: handle.x + 200, y: handle.y });
    await until(async () => (await ratioOf(page)) > before + 10, "the split is resized");
    await until(async () => {
      const { root } = await driver.layout();
      return root.type === "split" && root.ratio > 0.6;
    }, "the server has the new ratio");
    await handleOf(page).dblclick();
    await until(async () => (await ratioOf(page)) === 50, "a double click resets to halves");

    await page.getByRole("button", { name: "Panel menu, IMU" }).click();
    await menu("Maximise").click();
    await tab(page, "GPIO").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Panel menu, IMU" }).click();
    await menu("Restore").click();
    await tab(page, "GPIO").waitFor();

    await tab(page, "IMU").click({ button: "right" });
    await menu("Rename").click();
    await page.getByLabel("Tab name").fill("Yaw step response");
    await page.getByRole("button", { name: "Rename" }).click();
    await becomes(driver, "([Yaw step response] | ([gpio] / [led]))");

    await page.locator(".tab", { hasText: "GPIO" }).locator(".tab-close").click();
    await becomes(driver, "([Yaw step response] | [led])");
    await page.getByRole("button", { name: "Undo" }).click();
    await becomes(driver, "([Yaw step response] | ([gpio] / [led]))");
    assert.deepEqual(seen.complaints, []);
  });

  test("by keyboard only: open, split, next panel, move, resize, maximise, rename, close, undo; the focus is never lost", async () => {
    const driver = at("keyboard");
    const seen = await bench().windows.show(0, "keyboard");
    const { page } = seen;
    const press = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    const add = async (words: string, how: string) => {
      await press("Control+k");
      await page.getByRole("combobox", { name: "Search panels" }).waitFor();
      await page.keyboard.type(words);
      await page.getByRole("option", { selected: true }).getByText(new RegExp(words, "i")).first().waitFor();
      await press(how);
      await dialog(page, "Add a panel").waitFor({ state: "detached" });
    };
    const onTab = (name: string) =>
      until(() => page.evaluate((words) => document.activeElement?.textContent?.startsWith(words), name), `on ${name}`);

    // Panels without anything to type in: they do not take the focus from their tab.
    await page.getByRole("heading", { name: "No panels yet" }).waitFor();
    await add("live stream", "Enter");
    await becomes(driver, "[live-stream]");
    await onTab("Live stream");
    // Tab leads from the bar above into the panels.
    await page.locator("a.who").focus();
    await press("Tab");
    await onTab("Live stream");
    await add("webrtc player", "Shift+Enter");
    await becomes(driver, "([live-stream] | [webrtc-player])");
    await onTab("WebRTC player");
    await add("schematic editor", "Enter");
    await becomes(driver, "([live-stream] | webrtc-player [schematic-editor])");
    // This one does.
    await until(() => page.evaluate(() => document.activeElement?.tagName === "INPUT"), "the focus is in the panel");
    await tab(page, "Schematic editor").focus();
    await onTab("Schematic editor");
    await press("ArrowLeft");
    await becomes(driver, "([live-stream] | [webrtc-player] schematic-editor)");
    await onTab("WebRTC player");
    await press("F6");
    await onTab("Live stream");
    await press("Shift+F6");
    await onTab("WebRTC player");

    await press("Alt+Shift+ArrowLeft");
    await becomes(driver, "(live-stream [webrtc-player] | [schematic-editor])");
    await onTab("WebRTC player");
    await press("Alt+Shift+B");
    await becomes(driver, "(([live-stream] / [webrtc-player]) | [schematic-editor])");
    await onTab("WebRTC player");
    await press("Control+z");
    await becomes(driver, "(live-stream [webrtc-player] | [schematic-editor])");

    await shows(page, driver);
    await handleOf(page).focus();
    await press("Shift+ArrowRight");
    await until(async () => (await ratioOf(page)) === 60, "the split is resized");
    await press("Enter");
    await until(async () => (await ratioOf(page)) === 50, "and halved");
    assert.equal(await focused(page), "separator");

    await press("F6");
    await press("Alt+Shift+M");
    await tab(page, "WebRTC player").waitFor({ state: "detached" });
    await press("Alt+Shift+M");
    await tab(page, "WebRTC player").waitFor();
    await tab(page, "WebRTC player").focus();
    await press("Alt+Shift+O");
    await page.getByRole("menuitem", { name: "Rename" }).waitFor();
    const isOnRename = () => page.evaluate(() => document.activeElement?.textContent?.startsWith("Rename"));
    for (let count = 0; count < 10 && !(await isOnRename()); count += 1) await press("ArrowDown");
    await press("Enter");
    await page.getByLabel("Tab name").waitFor();
    await page.keyboard.type("Pins");
    await press("Enter");
    await becomes(driver, "(live-stream [Pins] | [schematic-editor])");

    await tab(page, "Pins").focus();
    await press("Delete");
    await becomes(driver, "([live-stream] | [schematic-editor])");
    await until(async () => (await focused(page)) === "tab", "the focus is on a tab");
    await press("Control+z");
    await becomes(driver, "(live-stream [Pins] | [schematic-editor])");
    await press("?");
    await dialog(page, "Keyboard shortcuts").waitFor();
    await press("Escape");
    await until(async () => (await focused(page)) === "tab", "the focus returns");
    assert.deepEqual(seen.complaints, []);
  });

  test("moving, splitting or switching tabs never reloads a frame, neither by hand nor by a program", async () => {
    const { site } = bench();
    const driver = at("frames");
    const url = `${site.url}/other?kept`;
    const web = await driver.open("webview", { initialState: { url } });
    const sand = await driver.split(web.panelId, "sandbox");
    await driver.open("led", { panelId: web.panelId, background: true });
    const seen = await bench().windows.show(0, "frames");
    const { page } = seen;
    await (await frameAt(page, url)).waitForLoadState();
    await driver.eval(sand.newPanelId, "let kept = 1");
    const before = site.visits("/other");
    const move = async (tabId: string, targetPanelId: string, more: object = {}) => {
      const answer = await driver.call("POST", `${driver.current}/moves`, { tabId, targetPanelId, ...more });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.panelId as string;
    };

    await tab(page, "LED control").click();
    await slotOf(page, web.tabId).waitFor({ state: "hidden" });
    await tab(page, /127\.0\.0\.1/).click();
    await slotOf(page, web.tabId).waitFor();
    await move(web.tabId, sand.newPanelId);
    await move(sand.tabId, sand.newPanelId, { direction: "vertical", position: "before" });
    const alone = await move(web.tabId, web.panelId, { direction: "horizontal", position: "after" });
    await becomes(driver, "(([led] | [webview]) | [sandbox])");
    await shows(page, driver);
    await drag(
      page,
      await centreOf(tab(page, "Sandbox")),
      await centreOf(page.locator(`[data-leaf="${alone}"]`), { x: 0.5, y: 0.9 }),
    );
    await becomes(driver, "([led] | ([webview] / [sandbox]))");
    await page.getByRole("button", { name: "Panel menu, Sandbox" }).click();
    await page.getByRole("menuitem", { name: "Maximise" }).click();
    await slotOf(page, web.tabId).waitFor({ state: "hidden" });
    await page.keyboard.press("Alt+Shift+M");
    await slotOf(page, web.tabId).waitFor();
    const { root } = await driver.layout();
    await driver.call("PATCH", `${driver.current}/splits`, { splitId: root.id, ratio: 0.2 });
    await until(async () => (await ratioOf(page)) === 20, "it is resized");

    const panelId = (await driver.tabs()).find((each) => each.tabId === sand.tabId)?.panelId ?? "";
    const kept = await driver.eval(panelId, "kept");
    assert.deepEqual("result" in kept && kept.result, 1);
    assert.equal(site.visits("/other"), before);
    assert.deepEqual(seen.complaints, []);
  });
}
