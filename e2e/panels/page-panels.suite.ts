import assert from "node:assert/strict";
import { test } from "node:test";
import { shotOf } from "../support/browser.ts";
import { readPicture } from "../support/pixels.ts";
import { until } from "../support/processes.ts";
import { driverOf, openPage } from "../support/workspaces.ts";
import { type BrowserBench, slotOf } from "./bench.ts";
import { tab } from "./page-bench.ts";

const PATH = "src/pid.py";
const TEXT = "gain = 1.5\n";
/** A 10 mm tetrahedron. */
const MODEL = `solid part\n${[
  ["0 0 0", "0 10 0", "10 0 0"],
  ["0 0 0", "10 0 0", "0 0 10"],
  ["0 0 0", "0 0 10", "0 10 0"],
  ["10 0 0", "0 10 0", "0 0 10"],
]
  .map(
    (corners) =>
      `facet normal 0 0 0\nouter loop\n${corners.map((each) => `vertex ${each}\n`).join("")}endloop\nendfacet\n`,
  )
  .join("")}endsolid part\n`;

export function testPanels(bench: () => BrowserBench): void {
  const at = (repo: string) => driverOf(bench().workspaces, bench().workspaces.pages, repo);
  const filesOf = (driver: ReturnType<typeof at>) => ({
    write: (path: string, text: string, headers: Record<string, string>) =>
      driver.call("PUT", `${driver.current}/files/${path}`, text, { "content-type": "text/plain", ...headers }),
    read: async (path: string) => driver.call("GET", `${driver.current}/files/${path}`),
  });

  test("the editor saves; programs that open panels or write files meanwhile affect neither the focus nor the text; dropped files are saved", async () => {
    const driver = at("editor");
    const files = filesOf(driver);
    assert.equal((await files.write(PATH, TEXT, { "if-none-match": "*" })).status, 201);
    const { panelId, tabId } = await driver.open("code-editor", { initialState: { path: PATH } });
    const seen = await bench().windows.show(0, "editor");
    const { page } = seen;
    const editor = slotOf(page, tabId).getByRole("textbox", { name: PATH });
    await editor.getByText("gain = 1.5").waitFor();
    await editor.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("limit = 2");
    const opened = await driver.open("led", { panelId });
    await tab(page, /LED control/)
      .getByText("New")
      .waitFor();
    await page.keyboard.type("0");
    await driver.split(panelId, "curriculum");
    await tab(page, /Curriculum/).waitFor();
    await page.keyboard.type("\n");
    await page.keyboard.press("Control+s");
    await slotOf(page, tabId)
      .getByText(/^Saved /)
      .waitFor();
    const saved = await files.read(PATH);
    assert.equal(saved.bytes.toString(), `${TEXT}limit = 20\n`);
    assert.equal((await driver.leaves())[0]?.activeTabId, opened.tabId);

    await page.keyboard.type("mine = 1");
    const theirs = await files.write(PATH, "theirs = 1\n", { "if-match": String(saved.headers.get("etag")) });
    assert.equal(theirs.status, 200);
    const conflict = slotOf(page, tabId).getByRole("alert").filter({ hasText: "Somebody else has saved this file" });
    await conflict.waitFor();
    assert.equal((await files.read(PATH)).bytes.toString(), "theirs = 1\n");
    await conflict.getByRole("button", { name: "Keep mine" }).click();
    await conflict.waitFor({ state: "detached" });
    await until(async () => (await files.read(PATH)).bytes.toString().endsWith("mine = 1"), "the choice is saved");

    const dataTransfer = await page.evaluateHandle(() => {
      const dragged = new DataTransfer();
      dragged.items.add(new File(["t,v\n"], "run.csv"));
      return dragged;
    });
    const note = page.getByText("Drop to save in the project");
    await page.locator("main").dispatchEvent("dragover", { dataTransfer });
    await note.waitFor();
    await page.locator("main").dispatchEvent("drop", { dataTransfer });
    await note.waitFor({ state: "detached" });
    await until(async () => (await files.read("run.csv")).status === 200, "what was dropped is saved");
    assert.deepEqual(seen.complaints, []);
  });

  test("the log is live, the 3D viewer shows a model, and the viewer for boards asks for a board", async () => {
    const driver = at("kinds");
    const files = filesOf(driver);
    assert.equal((await files.write("part.stl", MODEL, { "if-none-match": "*" })).status, 201);
    const log = await driver.open("system-log");
    const model = await driver.split(log.panelId, "3d-viewer", { initialState: { path: "part.stl" } });
    const boards = await driver.split(model.newPanelId, "board-viewer", { direction: "vertical" });
    const seen = await bench().windows.show(0, "kinds");
    const { page } = seen;
    await slotOf(page, boards.tabId).getByText("This project has no .kicad_pcb files yet.").waitFor();

    await slotOf(page, log.tabId).getByRole("log", { name: "System log" }).waitFor();
    const entry = { level: "warn", source: "oven", message: "zone 3 is 12 degrees too hot" };
    assert.equal((await driver.call("POST", `${driver.current}/log`, entry)).status, 201);
    await slotOf(page, log.tabId).getByRole("option").filter({ hasText: entry.message }).getByText("oven").waitFor();

    const stage = slotOf(page, model.tabId).getByRole("application", { name: /^part\.stl/ });
    await stage.waitFor();
    await slotOf(page, model.tabId).getByText("4 triangles").waitFor();
    assert.equal(await slotOf(page, model.tabId).getByRole("alert").count(), 0);
    await until(async () => {
      const picture = await readPicture(await shotOf(stage));
      const colours = new Set<string>();
      for (let x = 0; x < picture.width; x += 4) colours.add(String(picture.at(x, picture.height / 2)));
      return colours.size > 3;
    }, "it is drawn");
    assert.deepEqual(seen.complaints, []);
  });

  test("on a phone: one panel at a time, and a row of names to switch to the others", async () => {
    const driver = at("narrow");
    const { panelId } = await driver.open("live-stream");
    await driver.split(panelId, "curriculum");
    const options = { viewport: { width: 390, height: 844 }, hasTouch: true };
    await using seen = await openPage(bench().browser, bench().workspaces, "narrow", options);
    const { page } = seen;
    const names = page.getByRole("navigation", { name: "Panels" });
    await names.getByRole("button", { name: "Curriculum" }).tap();
    await page.getByRole("heading", { name: "Curriculum" }).waitFor();
    await page.getByRole("heading", { name: "Choose a camera" }).waitFor({ state: "hidden" });
    await names.getByRole("button", { name: "Live stream" }).tap();
    await page.getByRole("heading", { name: "Choose a camera" }).waitFor();
    assert.equal(await page.getByRole("tab").count(), 1);
    assert.deepEqual(seen.complaints, []);
  });
}
