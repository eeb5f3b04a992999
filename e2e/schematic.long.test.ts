// The schematic editor in a real browser, on files of a project. What it did is read from the files and from the page's words.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { slotOf } from "./panels/bench.ts";
import type { Visit } from "./support/browser.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { keepPicture } from "./support/pictures.ts";
import { until } from "./support/processes.ts";
import { openProject, type ProjectPage } from "./support/project-page.ts";
import { connected } from "./support/workspaces.ts";

const REPO = "board";
const EXAMPLE = "example.kicad_sch";

const LIBRARY = `(kicad_symbol_lib (version 20231120) (generator "test")
  (symbol "Fuse" (in_bom yes) (on_board yes) (property "Reference" "F" (at 0 2.54 0) (effects (font (size 1.27 1.27))))
    (property "Value" "Fuse" (at 0 -2.54 0) (effects (font (size 1.27 1.27))))
    (symbol "Fuse_0_1" (rectangle (start -2.54 1.27) (end 2.54 -1.27) (stroke (width 0.254) (type default)) (fill (type none))))
    (symbol "Fuse_1_1"
      (pin passive line (at -5.08 0 0) (length 2.54) (name "~" (effects (font (size 1.27 1.27)))) (number "1" (effects (font (size 1.27 1.27)))))
      (pin passive line (at 5.08 0 180) (length 2.54) (name "~" (effects (font (size 1.27 1.27)))) (number "2" (effects (font (size 1.27 1.27))))))))`;

const sheet = (name: string, file: string) => `(sheet (at 50.8 50.8) (size 25.4 12.7) (stroke (width 0) (type default))
  (fill (color 0 0 0 0)) (uuid "5e0c4a10-0000-4000-8000-0000000000${file.length}")
  (property "Sheetname" "${name}" (at 50.8 50 0) (effects (font (size 1.27 1.27)) (justify left bottom)))
  (property "Sheetfile" "${file}" (at 50.8 64 0) (effects (font (size 1.27 1.27)) (justify left top)))
  (pin "IN" input (at 50.8 55.88 180) (effects (font (size 1.27 1.27)) (justify left)) (uuid "5e0c4a10-0000-4000-8000-000000000077")))`;
const file = (uuid: string, items: string, version = 20231120) =>
  `(kicad_sch (version ${version}) (generator "test") (uuid "5e0c4a10-0000-4000-8000-0000000000${uuid}") (paper "A4") (lib_symbols)\n\t${items}\n)\n`;
const text = (words: string) =>
  `(text "${words}" (at 30.48 30.48 0) (effects (font (size 1.27 1.27)) (justify left bottom)) (uuid "5e0c4a10-0000-4000-8000-0000000000aa"))`;

let project: ProjectPage;
let seen: Visit;
let page: Page;
let slot: Locator;
let stage: Locator;

before(async () => {
  project = await openProject(REPO);
  ({ seen, page } = project);
});
after(() => project?.[Symbol.asyncDispose]());

const driver = () => project.driver();
const put = (...file: Parameters<ProjectPage["put"]>) => project.put(...file);
const NEW = { "if-none-match": "*" };
const THERE = { "if-match": "*" };
const saved = async (path: string) =>
  (await driver().call("GET", `${driver().current}/files/${path}`)).bytes.toString();

const says = (words: string | RegExp) => slot.locator(".schematic-status").getByText(words).waitFor();

/** Opens a file of the project by its name. */
async function openFile(name: string): Promise<void> {
  await slot.getByRole("button", { name: "Open", exact: true }).press("Enter");
  await slot.getByRole("combobox", { name: "Open a schematic" }).fill(name);
  await page.keyboard.press("Enter");
}

/** Finds an item by words and selects it, with keys only; the keyboard is on the sheet then. */
async function choose(words: string): Promise<void> {
  await stage.press("Control+f");
  await slot.getByRole("combobox", { name: "Find on all sheets" }).fill(words);
  await page.keyboard.press("ArrowDown");
  await slot.locator('[role=option][aria-selected="true"]').waitFor();
  await page.keyboard.press("Enter");
  await until(() => stage.evaluate((element) => element === document.activeElement), "the sheet has the keyboard");
}

const place = async (): Promise<{ x: number; y: number }> => {
  const words = await slot.locator(".schematic-status .wide").last().innerText();
  const [x = 0, y = 0] = words.split(/[ ,]+/).map(Number);
  return { x, y };
};

/** The pointer goes to a place of the sheet; the status line says where it is. */
async function pointAt(x: number, y: number): Promise<{ x: number; y: number }> {
  const box = (await stage.boundingBox()) ?? assert.fail();
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(at.x, at.y);
  const first = await place();
  await page.mouse.move(at.x + 100, at.y);
  await until(async () => (await place()).x !== first.x, "the pointer is seen");
  const scale = 100 / ((await place()).x - first.x);
  for (let round = 0; round < 8; round += 1) {
    await page.mouse.move(at.x, at.y);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    const now = await place();
    if (Math.abs(now.x - x) < 0.02 && Math.abs(now.y - y) < 0.02) return at;
    at.x += (x - now.x) * scale;
    at.y += (y - now.y) * scale;
  }
  return assert.fail(`the pointer does not get to ${x}, ${y}`);
}

suite("schematic editor", { concurrency: 1 }, () => {
  test("a project without schematics says what to do, and gets the example by a key press", async () => {
    const { tabId } = await driver().open("schematic-editor");
    slot = slotOf(page, tabId);
    stage = slot.locator(".schematic-stage");
    await slot.getByText("This project has no .kicad_sch files yet.").waitFor();
    await assertLooksRightInEveryLook(page, "no schematic", ".schematic");
    await slot.getByRole("button", { name: "Open the example" }).press("Enter");
    await says("26 items on this sheet");
    await assertLooksRightInEveryLook(page, "the example", ".schematic");
    await keepPicture(page, ".schematic", "schematic-editor");
  });

  test("by keys alone: find a part, see its pins and nets, change its value, save; undo is undone in the file", async () => {
    const before = await saved(EXAMPLE);
    await choose("r1");
    await slot.getByText("1 item selected").waitFor();
    await slot.getByRole("button", { name: "/LED_A" }).waitFor();
    await assertLooksRightInEveryLook(page, "a selected part", ".schematic");
    await slot.getByRole("textbox", { name: "Value" }).fill("470");
    await page.keyboard.press("Enter");
    await says(/Unsaved changes/);
    await stage.press("Control+s");
    await until(async () => (await saved(EXAMPLE)).includes('"Value" "470"'), "the value is saved");
    await stage.press("Control+z");
    await stage.press("Control+s");
    await until(async () => (await saved(EXAMPLE)) === before, "every byte is back");
  });

  test("a part moves with its wires by keys, and its nets stay", async () => {
    await choose("r1");
    await stage.press("g");
    for (let step = 0; step < 4; step += 1) await stage.press("ArrowUp");
    await stage.press("Enter");
    await slot.getByText("76.20, 58.42 mm").first().waitFor();
    await slot.getByRole("button", { name: "/LED_A" }).waitFor();
    await slot.getByRole("button", { name: "+5V" }).waitFor();
    await stage.press("Control+z");
    await slot.getByText("76.20, 63.50 mm").first().waitFor();
  });

  test("a wire by the mouse from pin to pin, a label on it, and the net has its name", async () => {
    await stage.press("Escape");
    await stage.press("0");
    await stage.press("w");
    await slot.getByText("Click where the wire begins").waitFor();
    const from = await pointAt(50.8, 101.6);
    await page.mouse.click(from.x, from.y);
    await slot.getByText("Click to bend").waitFor();
    const to = await pointAt(81.28, 106.68);
    await page.mouse.dblclick(to.x, to.y);
    await stage.press("Escape");
    await stage.press("l");
    await page.keyboard.type("SENSE");
    await page.keyboard.press("Enter");
    const on = await pointAt(60.96, 101.6);
    await page.mouse.click(on.x, on.y);
    await stage.press("Escape");
    await slot.getByRole("button", { name: "Save" }).click();
    await until(async () => (await saved(EXAMPLE)).includes('(label "SENSE"'), "the label is saved");
    await choose("sense");
    await slot.getByRole("button", { name: "/SENSE" }).press("Enter");
    assert.equal(await slot.getByRole("button", { name: "/SENSE" }).getAttribute("aria-pressed"), "true");
  });

  test("a symbol of a library of the project is placed, turned and numbered", async () => {
    await put("parts/own.kicad_sym", LIBRARY, NEW);
    await stage.press("a");
    await page.getByRole("combobox", { name: "Find a symbol" }).fill("fuse");
    await page.getByRole("option", { name: /own:Fuse/ }).waitFor();
    await assertLooksRightInEveryLook(page, "the chooser", ".schematic-chooser");
    await page.keyboard.press("Enter");
    await stage.press("0");
    const at = await pointAt(127, 63.5);
    await page.mouse.click(at.x, at.y);
    await stage.press("Escape");
    await slot.getByRole("heading", { name: /F\?, Fuse/ }).waitFor();
    await stage.press("r");
    await slot.getByText("270°").waitFor();
    await slot.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Number the symbols" }).click();
    await slot.getByRole("heading", { name: /F1, Fuse/ }).waitFor();
    await stage.press("Control+s");
    await until(async () => (await saved(EXAMPLE)).includes('(symbol "own:Fuse"'), "the definition is in the file");
  });

  test("the check finds the open pins of the new part, and leads to them by a key press", async () => {
    await stage.press("Escape");
    await slot.getByRole("button", { name: "Check", exact: true }).press("Enter");
    const checks = slot.getByRole("region", { name: "Checks" });
    const finding = checks.getByRole("button", { name: /F1/ }).first();
    await finding.waitFor();
    await assertLooksRightInEveryLook(page, "the checks", ".schematic");
    await finding.press("Enter");
    await slot.getByRole("heading", { name: /F1, Fuse/ }).waitFor();
    await stage.press("Delete");
    await checks.getByText("before your last change").waitFor();
    await stage.press("Control+z");
    await checks.getByRole("button", { name: "Close the checks" }).press("Enter");
    await checks.waitFor({ state: "detached" });
  });

  test("what somebody else saves at another place is merged; at the same place it waits for a decision", async () => {
    await put("merge.kicad_sch", file("01", text("first")), NEW);
    await openFile("merge");
    await says("1 item on this sheet");
    const note = '(no_connect (at 10.16 10.16) (uuid "5e0c4a10-0000-4000-8000-0000000000bb"))';
    await choose("first");
    await slot.getByRole("textbox", { name: "Text" }).fill("mine");
    await page.keyboard.press("Enter");
    await says(/Unsaved changes/);
    await put("merge.kicad_sch", file("01", `${text("first")}\n\t${note}`), THERE);
    await slot.getByText("Somebody else has saved this design.").waitFor();
    await stage.press("Control+s");
    await until(
      async () => (await saved("merge.kicad_sch")) === file("01", `${text("mine")}\n\t${note}`),
      "both are saved",
    );

    await choose("mine");
    await slot.getByRole("textbox", { name: "Text" }).fill("mine again");
    await page.keyboard.press("Enter");
    await put("merge.kicad_sch", file("01", text("theirs")), THERE);
    await slot.getByRole("alert").filter({ hasText: "Somebody else has saved merge.kicad_sch" }).waitFor();
    assert.equal(await saved("merge.kicad_sch"), file("01", text("theirs")), "nothing was overwritten");
    await slot.getByRole("button", { name: "Keep mine" }).click();
    await until(async () => (await saved("merge.kicad_sch")).includes("mine again"), "the decision is saved");
  });

  test("into a sheet and back, by keys; a missing sheet is named", async () => {
    await put("deep/inner.kicad_sch", file("02", text("inside")), NEW);
    await put(
      "top.kicad_sch",
      file("03", `${sheet("Inner", "deep/inner.kicad_sch")}\n\t${sheet("Lost", "lost.kicad_sch")}`),
      NEW,
    );
    await openFile("top.kicad");
    await says(/2 items on this sheet. 1 sheet is missing/);
    await slot.getByText("Lost: lost.kicad_sch does not exist").waitFor();
    await choose("inner");
    await stage.press("Enter");
    await says("1 item on this sheet");
    await slot.getByRole("navigation", { name: "Sheets to here" }).getByText("Inner").waitFor();
    await page.reload();
    await connected(page);
    await slot.getByRole("navigation", { name: "Sheets to here" }).getByText("Inner").waitFor();
    await stage.press("Backspace");
    await says(/2 items on this sheet/);
  });

  test("unsaved changes come back after a reload", async () => {
    await openFile("merge");
    await choose("mine again");
    await slot.getByRole("textbox", { name: "Text" }).fill("not saved yet");
    await page.keyboard.press("Enter");
    await says(/Unsaved changes/);
    page.once("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await connected(page);
    await slot.getByText("Unsaved changes of this tab are back.").waitFor();
    await choose("not saved yet");
    await stage.press("Control+s");
    await until(async () => (await saved("merge.kicad_sch")).includes("not saved yet"), "they are saved");
  });

  test("a file of a later KiCad opens to look at, and says so; one that is broken says where", async () => {
    await put("later.kicad_sch", file("04", text("future"), 20990101), NEW);
    await put("broken.kicad_sch", "(kicad_sch\n  (version", NEW);
    await openFile("later");
    await slot.getByText(/It can be viewed, not edited/).waitFor();
    assert.equal(await slot.getByRole("toolbar", { name: "Draw" }).count(), 0);
    await choose("future");
    assert.equal(await slot.getByRole("textbox", { name: "Text" }).count(), 0);
    await openFile("broken");
    await slot.getByRole("alert").filter({ hasText: "line 2, column 3" }).waitFor();
    await slot.getByRole("button", { name: "Open another schematic" }).click();
    await slot.getByRole("combobox", { name: "Open a schematic" }).waitFor();
    // The one sheet that was missing.
    const rest = seen.complaints.filter((complaint) => !/404|412/.test(complaint));
    assert.deepEqual(rest, []);
  });
});
