// The viewer for boards in a real browser, on files of a project. What it shows is read from its words and from its pixels.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { slotOf } from "./panels/bench.ts";
import { shotOf, type Visit } from "./support/browser.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { publishArchive } from "./support/panel-packages.ts";
import { keepPicture } from "./support/pictures.ts";
import { distance, type Picture, readPicture } from "./support/pixels.ts";
import { until } from "./support/processes.ts";
import { openProject, type ProjectPage, startMotor } from "./support/project-page.ts";
import { stepBox, withCurve, withPoints, withRings } from "./support/step-box.ts";
import type { Workspaces } from "./support/workspaces.ts";

const REPO = "board";
const EXAMPLE = "example.kicad_pcb";
/** The colour of a net that was picked. */
const PICKED = "#ffa25c";
/** The middle of the example, in millimetres. */
const MIDDLE = { x: 120, y: 112.5 };
const REAL = "/usr/share/kicad/demos/stickhub/StickHub.kicad_pcb";

let project: ProjectPage;
let workspaces: Workspaces;
let seen: Visit;
let page: Page;
let slot: Locator;
let stage: Locator;

before(async () => {
  project = await openProject(REPO);
  ({ workspaces, seen, page } = project);
  page.setDefaultTimeout(30_000);
});
after(() => project?.[Symbol.asyncDispose]());

const driver = () => project.driver();
const put = (path: string, content: string) => project.put(path, content);

const says = (words: string | RegExp, timeout = 30_000) =>
  slot.locator(".board-status").getByText(words).waitFor({ timeout });
/** The library for STEP files starts slowly on a busy machine. */
const STEP_MS = 180_000;
const choose = (group: string, name: string) =>
  slot.getByRole("group", { name: group }).getByRole("button", { name, exact: true }).press("Enter");

/** A model of one triangle, as a .glb file. */
function wedge(): Buffer {
  const corners = Buffer.from(new Float32Array([0, 0, 0, 0.003, 0, 0, 0, 0.003, 0]).buffer);
  const gltf = {
    ...{ asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }] },
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [0.003, 0.003, 0] }],
    bufferViews: [{ buffer: 0, byteLength: corners.length }],
    buffers: [{ byteLength: corners.length }],
  };
  const text = JSON.stringify(gltf);
  const json = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
  const head = (...numbers: number[]) => Buffer.from(new Uint32Array(numbers).buffer);
  const chunks = [head(json.length, 0x4e4f534a), json, head(corners.length, 0x004e4942), corners];
  const length = 12 + chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return Buffer.concat([head(0x46546c67, 2, length), ...chunks]);
}

/** A board of 30 by 10 mm: parts by their names, places and models. */
function boardWith(...parts: readonly (readonly [name: string, x: number, model: string])[]): string {
  const footprints = parts.map(
    ([name, x, model]) => `(footprint "Own:P" (layer "F.Cu") (at ${x} 15)
      (property "Reference" "${name}" (at 0 0 0) (layer "F.Fab")) (fp_rect (start -2 -2) (end 2 2) (layer "F.CrtYd") (width 0.05))
      (model "../../../elsewhere/${model}" (offset (xyz 0 0 0)) (scale (xyz 1 1 1)) (rotate (xyz 0 0 90))))`,
  );
  return `(kicad_pcb (version 20241229) (layers (0 "F.Cu" signal) (2 "B.Cu" signal))
      (gr_rect (start 10 10) (end 40 20) (layer "Edge.Cuts") (width 0.1)) ${footprints.join("\n")})`;
}

/** The share of the pixels that are red. */
function redShare(picture: Picture): number {
  let [red, all] = [0, 0];
  for (let x = 0; x < picture.width; x += 2) {
    for (let y = 0; y < picture.height; y += 2) {
      const [r = 0, g = 0, b = 0] = picture.at(x, y);
      all += 1;
      if (r > 100 && r > 2 * g && r > 2 * b) red += 1;
    }
  }
  return red / all;
}

/** Pictures that were painted until now. */
const painted = async (): Promise<number> => Number((await stage.getAttribute("data-painted")) ?? 0);

/** Does something, and waits until the stage has its new picture. */
async function repainted(change: () => Promise<unknown>, pictures = 1): Promise<void> {
  const before = await painted();
  await change();
  await until(async () => (await painted()) >= before + pictures, "the board is painted again");
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
}

const look = async (): Promise<Picture> => readPicture(await shotOf(stage));

/** The share of the pixels that differ. */
function difference(a: Picture, b: Picture): number {
  let [differ, all] = [0, 0];
  for (let x = 0; x < a.width; x += 3) {
    for (let y = 0; y < a.height; y += 3) {
      all += 1;
      const [one, other] = [a.at(x, y), b.at(x, y)];
      if (one.some((channel, at) => Math.abs(channel - (other[at] ?? 0)) > 12)) differ += 1;
    }
  }
  return differ / all;
}

/** Where a place of the example is on the page, in the flat view that shows all of it from the front. */
async function pixelOf(x: number, y: number): Promise<{ x: number; y: number }> {
  const box = (await stage.boundingBox()) ?? assert.fail();
  const scale = Math.min((box.width - 24) / 40, (box.height - 24) / 25);
  return { x: box.x + box.width / 2 + (x - MIDDLE.x) * scale, y: box.y + box.height / 2 + (y - MIDDLE.y) * scale };
}

async function pressAt(x: number, y: number): Promise<void> {
  const at = await pixelOf(x, y);
  await page.mouse.click(at.x, at.y);
}

async function openFile(name: string): Promise<void> {
  await slot.getByRole("button", { name: /^Open( another board)?$/ }).press("Enter");
  await slot.getByRole("combobox", { name: "Open a board" }).fill(name);
  await slot.getByRole("option", { name }).waitFor();
  await page.keyboard.press("Enter");
}

/** Finds one part or net by words, with keys only. */
async function pick(list: "Parts" | "Nets", words: string): Promise<void> {
  await choose("List", list);
  const find = slot.getByRole("combobox", { name: `Find a ${list === "Parts" ? "part" : "net"}` });
  await find.fill(words);
  await slot.getByText(/^1 of \d+$/).waitFor();
  await find.press("Enter");
}

suite("3D viewer for boards", { concurrency: 1 }, () => {
  test("a project without boards says what to do, and gets the example by a key press", async () => {
    const { tabId } = await driver().open("board-viewer");
    slot = slotOf(page, tabId);
    stage = slot.locator(".board-stage");
    await slot.getByText("This project has no .kicad_pcb files yet.").waitFor();
    await assertLooksRightInEveryLook(page, "no board", ".board");
    await slot.getByRole("button", { name: "Open the example" }).press("Enter");
    await says("40.0 × 25.0 mm, 2 layers");
    await says("8 parts");
    await until(async () => (await painted()) >= 4, "both sides are painted, coarse and sharp");
    await assertLooksRightInEveryLook(page, "the example", ".board");
    await keepPicture(page, ".board", "board-viewer");
  });

  test("in 3D: flipping, turning and layers change what is seen", async () => {
    const front = await look();
    await stage.press("f");
    await slot.getByRole("application", { name: /back$/ }).waitFor();
    await until(async () => difference(front, await look()) > 0.02, "it is flipped");
    await stage.press("f");
    await until(async () => difference(front, await look()) < 0.01, "it is back");
    await stage.press("ArrowRight");
    await until(async () => difference(front, await look()) > 0.02, "it is turned");
    await stage.press("ArrowLeft");
    await until(async () => difference(front, await look()) < 0.01, "it is turned back");
    await slot.getByRole("checkbox", { name: "Parts, front" }).press("Space");
    await until(async () => difference(front, await look()) > 0.01, "the parts are gone");
    await slot.getByRole("checkbox", { name: "Parts, front" }).press("Space");
    await repainted(() => slot.getByRole("checkbox", { name: "Solder mask, front" }).press("Space"), 4);
    assert.ok(difference(front, await look()) > 0.1, "the board without its mask");
    await repainted(() => slot.getByRole("checkbox", { name: "Solder mask, front" }).press("Space"), 4);
  });

  test("flat: each layer is switched alone, and copper that is off is not there to pick", async () => {
    await choose("View", "Flat");
    await until(async () => (await painted()) >= 1, "it is painted");
    const all = await look();
    for (const layer of ["Silkscreen, front", "Copper, front", "Courtyard, front"]) {
      await repainted(() => slot.getByRole("checkbox", { name: layer }).press("Space"));
      assert.ok(difference(all, await look()) > 0.001, layer);
      await repainted(() => slot.getByRole("checkbox", { name: layer }).press("Space"));
      assert.ok(difference(all, await look()) < 0.0005, `${layer}, on again`);
    }
    await repainted(() => slot.getByRole("checkbox", { name: "Silkscreen, back" }).press("Space"));
    assert.ok(difference(all, await look()) < 0.0005, "the back is not seen from the front");
    await repainted(() => slot.getByRole("checkbox", { name: "Silkscreen, back" }).press("Space"));
  });

  test("a press on a track highlights its net, with its real numbers", async () => {
    await repainted(() => pressAt(122, 108));
    await says("Net /LED_A");
    const net = slot.getByRole("region", { name: "Net" });
    for (const [name, value] of [
      ["Pads", "2"],
      ["Vias", "1"],
      ["Length", "6.00 mm"],
      ["Narrowest", "0.40 mm"],
    ] as const)
      await net.locator("dl > div").filter({ hasText: name }).getByText(value, { exact: true }).waitFor();
    const at = await pixelOf(122, 108);
    const box = (await stage.boundingBox()) ?? assert.fail();
    await until(async () => distance((await look()).at(at.x - box.x, at.y - box.y), PICKED) < 40, "the track shines");
    await keepPicture(page, ".board", "board-viewer-net");
    await repainted(() => net.getByRole("button", { name: "Clear the net" }).press("Enter"));
    assert.ok(distance((await look()).at(at.x - box.x, at.y - box.y), PICKED) > 60, "it does not shine any more");
  });

  test("the distance of the two pads of J1 is 2.54 mm, by the mouse and by keys alone", async () => {
    const result = slot.locator(".board-measured");
    await slot.getByRole("switch", { name: "Measure" }).press("Enter");
    await result.getByText("pick the first place").waitFor();
    await pressAt(106.1, 111.2);
    await result.getByText("pick the second place").waitFor();
    await pressAt(105.9, 113.7);
    await result.getByText("2.54 mm (0.00 across, 2.54 up)").waitFor();
    await assertLooksRightInEveryLook(page, "a measured distance", ".board");
    await stage.press("m");
    await result.waitFor({ state: "detached" });
    await stage.press("0");
    await stage.press("m");
    for (let step = 0; step < 14; step += 1) await stage.press("ArrowLeft");
    for (let step = 0; step < 2; step += 1) await stage.press("ArrowUp");
    await stage.press("Enter");
    await result.getByText("pick the second place").waitFor();
    for (let step = 0; step < 3; step += 1) await stage.press("ArrowDown");
    await stage.press("Enter");
    await result.getByText("2.54 mm (0.00 across, 2.54 up)").waitFor();
    await stage.press("Escape");
    await stage.press("Escape");
    await result.waitFor({ state: "detached" });
  });

  test("by keys alone: a part is found, shown from its side, and its pads lead to their nets", async () => {
    await slot.getByRole("button", { name: "Find a part" }).press("Enter");
    await until(
      () => slot.getByRole("combobox").evaluate((field) => field === document.activeElement),
      "the field has the keys",
    );
    await repainted(() => pick("Parts", "r1"));
    await slot.getByRole("application", { name: /back$/ }).waitFor();
    await says("Part R1");
    const part = slot.getByRole("region", { name: "Part" });
    await part.getByText("330").waitFor();
    await part.getByText("117.00, 108.00 mm").waitFor();
    await repainted(() => part.getByRole("button", { name: "+5V" }).press("Enter"));
    await says("Part R1, Net +5V");
    await assertLooksRightInEveryLook(page, "a part and a net", ".board");
    await repainted(() => choose("Side", "Front"));
    await part.getByRole("button", { name: "Clear the part" }).press("Enter");
    await slot.getByRole("region", { name: "Net" }).getByRole("button", { name: "Clear the net" }).press("Enter");
  });

  test("what is picked in the schematic editor is shown on the board, and the other way round", async () => {
    const { panelId } = await driver().open("system-log", {});
    const { newPanelId, tabId } = await driver().split(panelId, "schematic-editor", { direction: "horizontal" });
    const editor = slotOf(page, tabId);
    await editor.getByRole("button", { name: "Open the example" }).press("Enter");
    await editor.locator(".schematic-status").getByText("26 items on this sheet").waitFor();
    const boardTab = page.getByRole("tab", { name: EXAMPLE });
    await boardTab.click();
    await editor.locator(".schematic-stage").press("Control+f");
    await editor.getByRole("combobox", { name: "Find on all sheets" }).fill("sw1");
    await page.keyboard.press("Enter");
    await says("Part SW1");
    await pick("Parts", "d1");
    await editor.getByRole("heading", { name: /D1, Red/ }).waitFor();
    await pick("Nets", "led_a");
    await says(/Net \/LED_A/);
    await editor.locator('.schematic-net[aria-pressed="true"]').filter({ hasText: "/LED_A" }).waitFor();
    await editor.locator(".schematic-net").filter({ hasNotText: "/LED_A" }).first().press("Enter");
    await says("Part D1, Net Net-(D1-K)");
    const closed = await driver().call("DELETE", `${driver().current}/tabs`, { panelId: newPanelId, tabId });
    assert.equal(closed.status, 200);
    await pick("Nets", "d1-k");
  });

  test("a value of a device is shown at a part, live", async () => {
    await using simulator = await startMotor(workspaces, REPO);
    await pick("Parts", "d1");
    const select = slot.getByRole("combobox", { name: "Show a value at D1" });
    await select.waitFor();
    const option = select
      .locator("option")
      .filter({ hasText: /motor$/i })
      .first();
    await select.selectOption({ label: await option.innerText() });
    const label = slot.locator(".board-label");
    await label.getByText(/^\d+(\.\d+)? °C$/).waitFor();
    await assertLooksRightInEveryLook(page, "a pinned value", ".board");
    await keepPicture(page, ".board", "board-viewer-value");
    await slot.getByRole("button", { name: /^Remove D1/ }).press("Enter");
    await label.waitFor({ state: "detached" });
    assert.ok(simulator);
  });

  test("a picture of what is seen is saved into the project", async () => {
    const box = (await stage.boundingBox()) ?? assert.fail();
    await slot.getByRole("button", { name: "More" }).press("Enter");
    await page.getByRole("menuitem", { name: "Save a picture into the project" }).click();
    await slot.getByText("Saved as example.png").waitFor();
    const { bytes } = await driver().call("GET", `${driver().current}/files/example.png`);
    const picture = await readPicture(Buffer.from(bytes));
    assert.deepEqual([picture.width, picture.height], [Math.floor(box.width), Math.floor(box.height)]);
  });

  test("files that are hostile are refused in words, and the page goes on", async () => {
    const head = '(kicad_pcb (version 20241229) (layers (0 "F.Cu" signal))\n';
    await put("deep.kicad_pcb", head + "(a ".repeat(100_000));
    await put("far.kicad_pcb", `${head}(segment (start 1 1) (end 1e12 1) (width 1) (layer "F.Cu") (net 0)))`);
    await put("other.kicad_pcb", "(kicad_sch (version 1))");
    await put("open.kicad_pcb", `${head}(gr_line (start 5 5) (end 25 15) (layer "Edge.Cuts") (width 0.1)))`);
    for (const [name, words] of [
      ["deep.kicad_pcb", /nested deeper than 512 \(line 2/],
      ["far.kicad_pcb", /beyond the limit of 10000 mm \(line 2, column 1\)/],
      ["other.kicad_pcb", /not a KiCad board/],
    ] as const) {
      await openFile(name);
      await slot.getByRole("alert").getByText(words).waitFor();
      await slot.getByRole("heading", { name: `${name} is not shown` }).waitFor();
    }
    await assertLooksRightInEveryLook(page, "a refused board", ".board");
    await openFile("open.kicad_pcb");
    await slot.getByText("The outline is not closed.").waitFor();
    await openFile(EXAMPLE);
    await says("40.0 × 25.0 mm, 2 layers");
  });

  test("a part has the model of its name, as .glb or STEP of the project, else a box that says why", async () => {
    await mkdir(join(workspaces.projects, REPO, "shapes"));
    const shape = (name: string, content: string | Buffer) =>
      writeFile(join(workspaces.projects, REPO, "shapes", name), content);
    await shape("wedge.glb", wedge());
    await shape("brick.step", stepBox([4, 4, 2], [1, 0, 0]));
    await shape("cut.stp", stepBox([4, 4, 2], [1, 0, 0]).slice(0, 3_000));
    await put("boxes.kicad_pcb", boardWith(["U1", 15, "none.step"]));
    await put(
      "models.kicad_pcb",
      boardWith(["U1", 15, "Wedge.step"], ["U2", 20, "Brick.wrl"], ["U3", 25, "cut.step"], ["U4", 30, "none.step"]),
    );
    await openFile("boxes.kicad_pcb");
    await says("30.0 × 10.0 mm");
    await choose("View", "3D");
    await says("Parts as boxes");
    await openFile("models.kicad_pcb");
    await says("2 models, other parts as boxes", STEP_MS);
    const part = slot.getByRole("region", { name: "Part" });
    for (const [name, words] of [
      ["u1", "wedge.glb"],
      ["u2", "brick.step"],
      ["u3", "A box. It cannot be read as STEP."],
      ["u4", "A box. No .glb, .step or .stp of this name is in the project or in a library package."],
    ] as const) {
      await pick("Parts", name);
      await part.locator("dl > div").filter({ hasText: "Model" }).getByText(words, { exact: true }).waitFor();
    }
    await until(async () => redShare(await look()) > 0.003, "the brick is red");
    await part.getByRole("button", { name: "Clear the part" }).press("Enter");
    await assertLooksRightInEveryLook(page, "models of parts", ".board");
    // The view is made again from what was read before.
    await choose("View", "Flat");
    await choose("View", "3D");
    await until(async () => redShare(await look()) > 0.003, "the brick is still red");
    assert.deepEqual(seen.complaints, []);
  });

  test("STEP files beyond a limit stay boxes that name the limit and what to do, and the next file is read", async () => {
    const box = stepBox([4, 4, 2], [1, 0, 0]);
    const shape = (name: string, content: string) =>
      writeFile(join(workspaces.projects, REPO, "shapes", name), content);
    await shape("points.step", withPoints(box, 200_000));
    await shape("rings.step", withRings(box, 400));
    await shape("curve.step", withCurve(box, 2_000_000));
    await shape("large.step", box.padEnd(16 * 1024 * 1024 + 1));
    await shape("last.step", box);
    const names = ["points", "rings", "curve", "large", "last"];
    const parts = names.map((name, at) => [`U${at}`, 14 + 5 * at, `${name}.step`] as const);
    await put("limits.kicad_pcb", boardWith(...parts));
    await openFile("limits.kicad_pcb");
    // The page is alive while the curve is read.
    await pick("Parts", "u0");
    await says("1 model, other parts as boxes", 2 * STEP_MS);
    const next = "Use a simpler model, or save it as .glb under the same name.";
    for (const [name, words] of [
      ["u0", `A box. It has more entities than the limit of 200,000 per STEP file. ${next}`],
      ["u1", /^A box\. It has 35\d,\d{3} triangles\. The limit is 300,000\. Use a simpler model/],
      ["u2", `A box. Reading it takes more than the limit of 60 s. ${next}`],
      ["u3", "A box. It is 16 MB. The limit is 16 MB. Use a simpler model."],
      ["u4", "last.step"],
    ] as const) {
      await pick("Parts", name);
      const part = slot.getByRole("region", { name: "Part" });
      await part.locator("dl > div").filter({ hasText: "Model" }).getByText(words, { exact: true }).waitFor();
    }
    await assertLooksRightInEveryLook(page, "a model beyond a limit", ".board");
    await slot.getByRole("button", { name: "Clear the part" }).press("Enter");
    assert.deepEqual(seen.complaints, []);
  });

  test("models of a library package are shown without installing it", async () => {
    await publishArchive(
      workspaces,
      sampleArchive({
        identifier: "org.example.bricks",
        files: { "3dmodels/own.3dshapes/post.step": stepBox([3, 3, 6], [1, 0, 0]) },
        metadata: { type: "library", name: "Bricks" },
      }),
    );
    await put("packaged.kicad_pcb", boardWith(["U1", 25, "own.3dshapes/post.wrl"]));
    await openFile("packaged.kicad_pcb");
    await says(/^1 model$/, STEP_MS);
    await pick("Parts", "u1");
    await slot.getByText("post.step, of Bricks 1.0.0").waitFor();
    await choose("View", "Flat");
    assert.deepEqual(seen.complaints, []);
  });

  test("models of Debian's KiCad are read", async (t) => {
    const shapes = "/usr/share/kicad/3dmodels";
    if (!existsSync(shapes)) return t.skip("Debian's models for KiCad are not here");
    const names = [
      ...["Package_SO.3dshapes/SOIC-8_3.9x4.9mm_P1.27mm", "Resistor_SMD.3dshapes/R_0805_2012Metric"],
      ...["Package_QFP.3dshapes/LQFP-48_7x7mm_P0.5mm", "Package_TO_SOT_SMD.3dshapes/SOT-23"],
    ];
    for (const name of names)
      await copyFile(join(shapes, `${name}.step`), join(workspaces.projects, REPO, "shapes", `${basename(name)}.step`));
    await put(
      "real-models.kicad_pcb",
      boardWith(...names.map((name, at) => [`U${at}`, 14 + 7 * at, `${name}.wrl`] as const)),
    );
    await openFile("real-models.kicad_pcb");
    await choose("View", "3D");
    await says(/^4 models$/, STEP_MS);
    await keepPicture(page, ".board", "board-viewer-models");
    await choose("View", "Flat");
    assert.deepEqual(seen.complaints, []);
  });

  test("a board of Debian's KiCad with zones and parts on both sides", async (t) => {
    if (!existsSync(REAL)) return t.skip("Debian's KiCad demos are not here");
    await put("real.kicad_pcb", readFileSync(REAL, "utf8"));
    await openFile("real.kicad_pcb");
    await says("16.5 × 40.0 mm");
    await says("94 parts");
    await until(async () => (await painted()) >= 1, "it is painted");
    await repainted(() => choose("View", "3D"), 4);
    await keepPicture(page, ".board", "board-viewer-real");
    await openFile(EXAMPLE);
    await says("40.0 × 25.0 mm, 2 layers");
    assert.deepEqual(seen.complaints, []);
  });
});
