// What is drawn in the schematic editor by keys alone, decided between two versions, and what hostile files do to the page.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { readNets } from "@backplane/kicad/nets";
import { readDesign } from "@backplane/kicad/schematic";
import { sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { slotOf } from "./panels/bench.ts";
import { shotOf, type Visit } from "./support/browser.ts";
import { assertLooksRightInEveryLook, axeViolations } from "./support/looks.ts";
import { publishArchive } from "./support/panel-packages.ts";
import { keepPicture } from "./support/pictures.ts";
import { readPicture } from "./support/pixels.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { openProject, type ProjectPage } from "./support/project-page.ts";
import { SchematicPage } from "./support/schematic-page.ts";
import type { Workspaces } from "./support/workspaces.ts";

const REPO = "drawing";
const pin = (number: string, x: number, angle: number) =>
  `(pin passive line (at ${x} 0 ${angle}) (length 2.54) (name "~" (effects (font (size 1.27 1.27)))) (number "${number}" (effects (font (size 1.27 1.27)))))`;
const LIBRARY = `(kicad_symbol_lib (version 20231120) (generator "test")
  (symbol "Fuse" (in_bom yes) (on_board yes) (property "Reference" "F" (at 0 2.54 0) (effects (font (size 1.27 1.27))))
    (property "Value" "Fuse" (at 0 -2.54 0) (effects (font (size 1.27 1.27))))
    (symbol "Fuse_0_1" (rectangle (start -2.54 1.27) (end 2.54 -1.27) (stroke (width 0.254) (type default)) (fill (type none))))
    (symbol "Fuse_1_1" ${pin("1", -5.08, 0)} ${pin("2", 5.08, 180)})))`;

const FOOTPRINT = `(footprint "Relay_SPDT" (version 20240108) (generator "pcbnew") (layer "F.Cu")
  (property "Reference" "REF**" (at 0 -5 0) (layer "F.SilkS") (effects (font (size 1 1) (thickness 0.15))))
  (fp_rect (start -7.5 -4) (end 7.5 4) (stroke (width 0.12) (type solid)) (fill none) (layer "F.SilkS"))
  (fp_rect (start -7.75 -4.25) (end 7.75 4.25) (stroke (width 0.05) (type solid)) (fill none) (layer "F.CrtYd"))
  (pad "1" thru_hole rect (at -5 0) (size 2.4 2.4) (drill 1.1) (layers "*.Cu" "*.Mask"))
  (pad "2" thru_hole circle (at 0 2) (size 2.4 2.4) (drill 1.1) (layers "*.Cu" "*.Mask"))
  (pad "3" thru_hole circle (at 0 -2) (size 2.4 2.4) (drill 1.1) (layers "*.Cu" "*.Mask"))
  (pad "4" thru_hole oval (at 5 0) (size 2.4 3.2) (drill 1.1) (layers "*.Cu" "*.Mask")))`;

const uuid = (end: string) => `5e0c4a10-0000-4000-8000-${end.padStart(12, "0")}`;
const file = (end: string, items: string) =>
  `(kicad_sch (version 20231120) (generator "test") (uuid "${uuid(end)}") (paper "A4") (lib_symbols)\n\t${items}\n)\n`;
const text = (words: string, end: string, x = 50.8) =>
  `(text "${words}" (at ${x} 50.8 0) (effects (font (size 2.54 2.54)) (justify left bottom)) (uuid "${uuid(end)}"))`;
const sheet = (name: string, path: string, end: string) => `(sheet (at 50.8 50.8) (size 25.4 12.7) (uuid "${uuid(end)}")
  (property "Sheetname" "${name}" (at 50.8 50 0)) (property "Sheetfile" "${path}" (at 50.8 64 0)))`;

type Hostile = { name: string; content: string; shown: string | RegExp; more?: Record<string, string> };

/** A symbol of the sheet itself that is derived from itself. */
const SELF = `(kicad_sch (version 20231120) (generator "test") (uuid "${uuid("21")}") (paper "A4")
  (lib_symbols (symbol "Own:Self" (extends "Self") (property "Reference" "U" (at 0 0 0))))
  (symbol (lib_id "Own:Self") (at 50.8 50.8 0) (unit 1) (uuid "${uuid("c1")}") (property "Reference" "U1" (at 0 0 0))))`;

const HOSTILE: readonly Hostile[] = [
  { name: "deep", content: "(".repeat(100_000), shown: /line 1, column/ },
  { name: "unended", content: '(kicad_sch (version 20231120) (text "', shown: /line 1, column/ },
  { name: "other", content: '{"kicad": "json"}', shown: /line 1, column/ },
  {
    ...{ name: "cyclic", content: file("22", sheet("Inner", "cycle.kicad_sch", "c2")) },
    ...{ shown: /contains itself/ },
    more: { "cycle.kicad_sch": file("23", sheet("Outer", "hostile-cyclic.kicad_sch", "c3")) },
  },
  {
    name: "paths",
    content: file(
      "24",
      ["../../../etc/passwd", "/etc/passwd", "C:\\\\secret.kicad_sch"]
        .map((path, at) => sheet(`P${at}`, path, `d${at}`))
        .join(""),
    ),
    shown: /3 sheets are missing/,
  },
  { name: "self", content: SELF, shown: "1 item on this sheet" },
  {
    name: "numbers",
    content: file("25", '(wire (pts (xy 1e308 -1e308) (xy NaN 5)) (uuid "x")) (text "a" (at 1e400 0 0) (uuid "y"))'),
    shown: /on this sheet|line 1, column/,
  },
  { name: "markup", content: file("26", text("<img src=x onerror=alert(1)>", "e1")), shown: "1 item on this sheet" },
];

let project: ProjectPage;
let workspaces: Workspaces;
let seen: Visit;
let editor: SchematicPage;

before(async () => {
  project = await openProject(REPO);
  ({ workspaces, seen } = project);
  await put("parts.kicad_sym", LIBRARY);
  const { tabId } = await driver().open("schematic-editor");
  editor = new SchematicPage(seen.page, slotOf(seen.page, tabId));
});
after(() => project?.[Symbol.asyncDispose]());

const driver = () => project.driver();
const put = (...file: Parameters<ProjectPage["put"]>) => project.put(...file);
const saved = async (path: string) =>
  (await driver().call("GET", `${driver().current}/files/${path}`)).bytes.toString();
const says = (words: string | RegExp) => editor.slot.locator(".schematic-status").getByText(words).waitFor();

/** The crosshair goes to a place of the grid, by keys. */
async function goTo(x: number, y: number): Promise<void> {
  const place = async () => {
    const words = await editor.slot.locator(".schematic-status .wide").last().innerText();
    return words.split(/[ ,]+/).map(Number);
  };
  for (let round = 0; round < 300; round += 1) {
    const [nowX = 0, nowY = 0] = await place();
    const [dx, dy] = [Math.round((x - nowX) / 1.27), Math.round((y - nowY) / 1.27)];
    if (dx === 0 && dy === 0) return;
    const isAcross = Math.abs(dx) > Math.abs(dy);
    const far = Math.abs(isAcross ? dx : dy) >= 10 ? "Shift+" : "";
    const arrow = isAcross ? (dx > 0 ? "ArrowRight" : "ArrowLeft") : dy > 0 ? "ArrowDown" : "ArrowUp";
    await editor.press(`${far}${arrow}`);
  }
  assert.fail(`the crosshair does not get to ${x}, ${y}`);
}

const publish = (name: string, words: string, files: Record<string, string>) =>
  publishArchive(
    workspaces,
    sampleArchive({ identifier: `org.example.${name}`, files, metadata: { type: "library", name: words } }),
  );

async function type(words: string): Promise<void> {
  await editor.page.keyboard.type(words);
  await editor.page.keyboard.press("Enter");
}

suite("drawing schematics", { concurrency: 1 }, () => {
  test("a whole small design by keys alone: parts, wires, a label, a sheet with its pin, numbers", async () => {
    const { page, slot } = editor;
    const classes = [{ name: "Default" }, { name: "Thick", track_width: 0.8 }];
    const netSettings = { classes, netclass_patterns: [{ netclass: "Thick", pattern: "*MIDDLE" }] };
    await put("circuit.kicad_pro", JSON.stringify({ net_settings: netSettings }));
    const picker = slot.getByRole("combobox", { name: "Open a schematic" });
    await picker.press("ArrowDown");
    await picker.fill("circuit");
    await page.keyboard.press("Enter");
    await says("0 items on this sheet");
    await editor.press("a");
    await page.getByRole("combobox", { name: "Find a symbol" }).waitFor();
    await page.getByRole("option", { name: /parts:Fuse/ }).waitFor();
    await page.keyboard.type("fuse");
    await page.keyboard.press("Enter");
    for (const x of [101.6, 127]) {
      await goTo(x, 76.2);
      await editor.press("Enter");
    }
    await editor.press("Escape", "Escape", "w");
    await goTo(106.68, 76.2);
    await editor.press("Enter");
    await goTo(121.92, 76.2);
    await editor.press("Enter", "Escape", "Escape", "l");
    await type("MIDDLE");
    await goTo(114.3, 76.2);
    await editor.press("Enter", "Escape", "Escape", "q");
    await goTo(132.08, 76.2);
    await editor.press("Enter", "Escape", "Escape");

    await editor.press("s");
    await type("Supply");
    await goTo(50.8, 63.5);
    await editor.press("Enter");
    await goTo(76.2, 88.9);
    await editor.press("Enter");
    await slot.getByRole("heading", { name: /Supply/ }).waitFor();
    const early = await driver().call("GET", `${driver().current}/files/supply.kicad_sch`);
    assert.equal(early.status, 404, "its file is created when the design is saved");
    await editor.press("Escape");
    await editor.choose("supply");
    await editor.press("Enter");
    await slot.getByRole("navigation", { name: "Sheets to here" }).getByText("Supply").waitFor();
    await editor.press("l");
    await slot.getByRole("combobox", { name: "Kind of label" }).selectOption("hierarchical");
    await slot.getByRole("textbox", { name: "Name" }).fill("OUT");
    await page.keyboard.press("Enter");
    await goTo(101.6, 76.2);
    await editor.press("Enter", "Escape", "Escape", "Backspace");
    await editor.press("i");
    await page.keyboard.press("Enter");
    await goTo(76.2, 76.2);
    await editor.press("Enter", "Escape", "Escape", "w");
    await goTo(76.2, 76.2);
    await editor.press("Enter");
    await goTo(96.52, 76.2);
    await editor.press("Enter", "Escape", "Escape", "Escape");
    await slot.getByRole("button", { name: "More" }).press("Enter");
    await page.getByRole("menuitem", { name: "Number the symbols" }).press("Enter");
    await says("Every symbol has a number now.");
    await editor.choose("middle");
    await slot.getByText("Thick, tracks 0.8 mm").waitFor();
    await editor.press("Escape");
    await slot.getByRole("combobox", { name: "Find on all sheets" }).press("Escape");
    await editor.stage.focus();
    await assertLooksRightInEveryLook(page, "a drawn design", ".schematic");
    await keepPicture(page, ".schematic", "schematic-drawn");
    await editor.press("Control+s");
    await until(async () => (await saved("circuit.kicad_sch")).includes('"F2"'), "the design is saved");

    const texts = new Map<string, string>();
    for (const name of ["circuit.kicad_sch", "supply.kicad_sch"]) texts.set(name, await saved(name));
    const design = readDesign("circuit.kicad_sch", (name) => texts.get(name));
    assert.deepEqual(design.faults, []);
    const nets = readNets(design).nets.map(({ name, pins, sheetPins }) => [
      name,
      [
        ...pins.map(({ reference, pin }) => `${reference}.${pin.number}`),
        ...sheetPins.map(({ pin }) => pin.name),
      ].sort(),
    ]);
    assert.deepEqual(nets.find(([name]) => name === "/MIDDLE")?.[1], ["F1.2", "F2.1"]);
    assert.ok(
      nets.some(([, pins]) => String(pins) === "F1.1,OUT"),
      JSON.stringify(nets),
    );
  });

  test("a text is replaced on all sheets, and that is undone in one step", async () => {
    const { slot, page } = editor;
    await editor.press("Control+f");
    await slot.getByRole("combobox", { name: "Find on all sheets" }).fill("out");
    await slot.getByRole("textbox", { name: "Replace with" }).fill("5V");
    await assertLooksRightInEveryLook(page, "find and replace", ".schematic");
    await slot.getByRole("button", { name: "Replace all 2" }).press("Enter");
    await says("2 texts replaced");
    await editor.press("Control+s");
    await until(
      async () => (await saved("supply.kicad_sch")).includes('(hierarchical_label "5V"'),
      "the label is saved",
    );
    assert.match(await saved("circuit.kicad_sch"), /\(pin "5V"/);
    await editor.press("Control+z", "Control+s");
    await until(async () => (await saved("supply.kicad_sch")).includes('(hierarchical_label "OUT"'), "it is undone");
  });

  test("items are copied from one sheet to another", async () => {
    await editor.choose("F1");
    await editor.press("Control+c", "Escape");
    await editor.choose("supply");
    await editor.press("Enter");
    await editor.press("Control+v");
    await editor.slot.getByRole("heading", { name: /F\?, Fuse/ }).waitFor();
    await editor.press("Control+s");
    await until(async () => (await saved("supply.kicad_sch")).includes('"parts:Fuse"'), "the copy is saved");
    await editor.press("Backspace");
  });

  test("all sheets go to the printer, a page per sheet", async () => {
    const { page } = editor;
    await page.evaluate(() => {
      // The frame's own print would wait for a dialog that a browser without a screen does not have.
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes)
            if (node instanceof HTMLIFrameElement && node.contentWindow)
              node.contentWindow.print = () => document.body.setAttribute("data-printed", "");
      }).observe(document.body, { childList: true });
    });
    await editor.more("Print all sheets or save them as PDF");
    await page.locator("body[data-printed]").waitFor();
    const pictures = await page.locator("iframe.schematic-print").contentFrame().locator("img").all();
    assert.equal(pictures.length, 2);
    for (const picture of pictures)
      assert.ok(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth > 0), "it is drawn");
  });

  test("symbols and footprints of a library package are looked at on its page, and a symbol is placed from there", async () => {
    const { page, slot } = editor;
    await publish("relays", "Relays", {
      "symbols/relays.kicad_sym": LIBRARY.replaceAll("Fuse", "Relay"),
      "footprints/Relays.pretty/Relay_SPDT.kicad_mod": FOOTPRINT,
      "footprints/Relays.pretty/Relay_Small.kicad_mod": FOOTPRINT.replaceAll("2.4 2.4", "1.6 1.6"),
    });
    await publish("far", "Far", {
      "footprints/Far.pretty/Far.kicad_mod": FOOTPRINT.replace("(at -5 0)", "(at 1e9 0)"),
    });
    const other = await page.context().newPage();
    await other.goto(`${workspaces.pages}/packages/org.example.relays`);
    await other.getByRole("button", { name: "Show the symbols" }).press("Enter");
    await other.getByRole("img", { name: "Symbol relays:Relay" }).waitFor();
    assert.deepEqual(await axeViolations(other, { part: 'section[aria-labelledby="symbols"]' }), []);
    const footprints = 'section[aria-labelledby="footprints"]';
    await other.getByRole("button", { name: "Show the footprints" }).press("Enter");
    const footprint = other.getByRole("img", { name: "Footprint Relays:Relay_SPDT" });
    await until(async () => (await footprint.getAttribute("data-painted")) !== null, "the footprint is painted");
    const picture = await readPicture(await shotOf(footprint));
    const colours = [0.2, 0.5, 0.8].map((x) => picture.at(picture.width * x, picture.height / 2));
    assert.ok(new Set(colours.map(String)).size > 1, `pads and board differ: ${colours.join(" ")}`);
    await assertLooksRightInEveryLook(other, "footprints of a library", footprints);
    await keepPicture(other, footprints, "package-footprints");
    await other.goto(`${workspaces.pages}/packages/org.example.far`);
    await other.getByRole("button", { name: "Show the footprints" }).press("Enter");
    await other.getByText("Not shown. A number of this item is beyond the limit").waitFor();
    await other.close();

    await editor.press("a");
    await page.getByRole("combobox", { name: "Library" }).selectOption("Package Relays");
    await page.getByRole("option", { name: /relays:Relay.*Relays 1\.0\.0/ }).waitFor();
    await assertLooksRightInEveryLook(page, "the chooser with a package", ".schematic-chooser");
    await page.getByRole("combobox", { name: "Find a symbol" }).press("Enter");
    await goTo(152.4, 101.6);
    await editor.press("Enter", "Escape", "Control+s");
    await slot.getByRole("heading", { name: /\?, Relay/ }).waitFor();
    await until(async () => (await saved("circuit.kicad_sch")).includes('(symbol "relays:Relay"'), "it is saved");
  });

  test("two versions are shown side by side, and decided item by item", async () => {
    const { slot, page } = editor;
    await put("both.kicad_sch", file("11", `${text("one", "a1")}\n\t${text("two", "a2", 101.6)}`));
    await editor.openFile("both");
    await says("2 items on this sheet");
    for (const [words, mine] of [
      ["one", "one of mine"],
      ["two", "two of mine"],
    ] as const) {
      await editor.choose(words);
      await slot.getByRole("textbox", { name: "Text" }).fill(mine);
      await page.keyboard.press("Enter");
    }
    const added = `(no_connect (at 25.4 25.4) (uuid "${uuid("a3")}"))`;
    const theirs = `${text("one of theirs", "a1")}\n\t${text("two of theirs", "a2", 101.6)}\n\t${added}`;
    await put("both.kicad_sch", file("11", theirs), { "if-match": "*" });
    await slot.getByRole("button", { name: "Show both" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: /both.kicad_sch was changed/ });
    await dialog.getByText("2 need your decision").waitFor();
    await dialog.getByText("1 change is at different places and merged").waitFor();
    await dialog
      .getByText(new RegExp(`^both\\.kicad_sch saved by ${OWNER.name}, \\d+ bytes, at \\d\\d:\\d\\d\\.$`))
      .waitFor();
    assert.deepEqual(await dialog.locator("tr[data-conflict] code").allInnerTexts(), [
      ...["one", "one of mine", "one of theirs"],
      ...["two", "two of mine", "two of theirs"],
    ]);
    await assertLooksRightInEveryLook(page, "two versions", ".schematic-conflict");
    await keepPicture(page, ".schematic-conflict", "schematic-conflict");
    await dialog.getByRole("radio", { name: "two, text: theirs, two of theirs" }).press("Space");
    await dialog.getByRole("button", { name: "Save mine as a copy" }).press("Enter");
    await until(async () => (await saved("both-mine.kicad_sch")).includes("two of mine"), "there is a copy");
    await dialog.getByRole("button", { name: "Save merged file" }).press("Enter");
    const expected = `${text("one of mine", "a1")}\n\t${text("two of theirs", "a2", 101.6)}\n\t${added}`;
    await until(async () => (await saved("both.kicad_sch")) === file("11", expected), "the decision is saved");
  });

  test("a sheet of more than 2 MB opens, is changed and saved", async () => {
    const many = Array.from({ length: 16_000 }, (_, at) => text(`note ${at}`, `b${at}`, (at % 150) * 1.27));
    const whole = file("12", many.join("\n\t"));
    assert.ok(whole.length > 2_097_152, String(whole.length));
    await put("large.kicad_sch", whole);
    await editor.openFile("large");
    await says("16000 items on this sheet");
    await editor.choose("note 15999");
    await editor.slot.getByRole("textbox", { name: "Text" }).fill("changed");
    await editor.page.keyboard.press("Enter");
    await editor.press("Control+s");
    await until(async () => (await saved("large.kicad_sch")) === whole.replace("note 15999", "changed"), "it is saved");
  });

  for (const { name, content, shown, more = {} } of HOSTILE)
    test(`a hostile file does not harm the page: ${name}`, async () => {
      for (const [path, words] of Object.entries(more)) await put(path, words);
      await put(`hostile-${name}.kicad_sch`, content);
      await editor.openFile(`hostile-${name}`);
      await editor.slot.getByText(shown).first().waitFor();
      const back = editor.slot.getByRole("button", { name: "Open another schematic" });
      if ((await back.count()) > 0) await back.press("Enter");
      await editor.openFile("both.kicad");
      await says("3 items on this sheet");
    });

  test("a file that is larger than the project allows is refused in words", async () => {
    await writeFile(join(workspaces.projects, REPO, "huge.kicad_sch"), `(kicad_sch ${" ".repeat(17_000_000)})`);
    await editor.openFile("huge");
    await editor.slot.getByRole("alert").filter({ hasText: "The editor opens files of up to 16 MB" }).waitFor();
    await editor.slot.getByRole("button", { name: "Open another schematic" }).press("Enter");
    await editor.openFile("both.kicad");
    await says("3 items on this sheet");
    const rest = seen.complaints.filter((complaint) => !/404|412/.test(complaint));
    assert.deepEqual(rest, []);
  });
});
