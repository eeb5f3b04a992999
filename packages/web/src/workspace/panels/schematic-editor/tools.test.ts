import assert from "node:assert/strict";
import { test } from "node:test";
import { readSymbolLibrary } from "@backplane/kicad/schematic";
import { DesignFiles } from "./design-files.ts";
import { emptySheet, exampleSheet } from "./new-sheets.ts";
import { Session } from "./session.ts";
import { Tools } from "./tools.ts";

const ROOT = "example.kicad_sch";

async function open(text = exampleSheet()) {
  const saved = new Map([[ROOT, new TextEncoder().encode(text)]]);
  const files = new DesignFiles(ROOT, {
    file: (path) => ({
      read: async () => {
        const bytes = saved.get(path);
        return bytes ? { kind: "read", bytes, etag: '"1"' } : { kind: "missing" };
      },
      write: async (bytes, expected) => {
        if (expected === "absent" && saved.has(path)) return { kind: "changed", etag: '"1"' };
        saved.set(path, bytes);
        return { kind: "written", etag: '"2"' };
      },
    }),
    writeTogether: async () => [],
    remove: async (path) => saved.delete(path),
  });
  const session = new Session(files);
  await session.load(undefined);
  const byName = (name: string) =>
    [...(session.state().drawn?.itemOf ?? [])].find(
      ([, item]) => item.kind === "symbol" && item.fields.some((field) => field.text === name),
    )?.[0] ?? assert.fail(name);
  return { session, tools: new Tools(session), byName, text: () => files.text(ROOT) ?? "" };
}

/** Resolves when the design has so many sheets. */
const sheetsAre = (session: Session, count: number): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (session.state().design?.sheets.length === count) resolve();
    };
    session.subscribe(look);
    look();
  });

const netsOf = (session: Session) =>
  session
    .nets()
    ?.nets.map(({ pins }) =>
      pins
        .map(({ reference, pin }) => `${reference}.${pin.number}`)
        .sort()
        .join(" "),
    )
    .sort();
const count = (session: Session, kind: string) =>
  [...(session.state().drawn?.itemOf.values() ?? [])].filter((item) => item.kind === kind).length;

test("dragging a symbol takes its wires along: the nets stay; undo gives back every byte", async () => {
  const { session, tools, text } = await open();
  const [before, nets] = [text(), netsOf(session)];
  assert.equal(tools.dragStart({ x: 76.2, y: 63.5 }, 0.5, "follow", false), true);
  tools.hover({ x: 76.3, y: 53.2 });
  tools.dragEnd({ x: 76.3, y: 53.2 }, false);
  const [moved] = session.selectedItems();
  assert.deepEqual(moved?.kind === "symbol" && moved.at, { x: 76.2, y: 53.34 });
  assert.deepEqual(netsOf(session), nets);
  assert.notEqual(text(), before);
  session.undo();
  assert.equal(text(), before);
  session.redo();
  assert.deepEqual(netsOf(session), nets);
  session.undo();
  assert.equal(text(), before);
});

test("without its wires, it leaves its net", async () => {
  const { session, tools } = await open();
  const nets = netsOf(session);
  tools.dragStart({ x: 76.2, y: 63.5 }, 0.5, "stay", false);
  tools.hover({ x: 76.2, y: 43.18 });
  tools.dragEnd({ x: 76.2, y: 43.18 }, false);
  assert.notDeepEqual(netsOf(session), nets);
});

test("a drag that is cancelled changes nothing, and one over nothing draws a frame", async () => {
  const { session, tools, text } = await open();
  const before = text();
  tools.dragStart({ x: 76.2, y: 63.5 }, 0.5, "follow", false);
  tools.hover({ x: 90, y: 90 });
  tools.dragEnd({ x: 90, y: 90 }, true);
  assert.equal(text(), before);
  tools.dragStart({ x: 70, y: 55 }, 0.5, "follow", false);
  tools.dragEnd({ x: 100, y: 75 }, false);
  assert.ok(session.state().selection.size >= 2);
});

test("a wire is drawn by clicks: it bends, ends at a pin, and gets a junction where it meets another", async () => {
  const { session, tools } = await open();
  const wires = count(session, "wire");
  const junctions = count(session, "junction");
  tools.choose({ kind: "wire", points: [] });
  tools.click({ x: 83.8, y: 63.4 }, 0.5, false);
  tools.click({ x: 83.8, y: 71.1 }, 0.5, false);
  const { tool } = tools.state();
  assert.equal(tool.kind === "wire" && tool.points.length, 2, "it goes on");
  tools.hover({ x: 90, y: 76.2 });
  tools.finishLine();
  assert.ok(count(session, "wire") > wires);
  assert.equal(count(session, "junction"), junctions + 1);
});

test("Escape ends one thing after the other: a corner, the tool, the selection", async () => {
  const { session, tools, byName } = await open();
  session.select([byName("R1")]);
  tools.choose({ kind: "wire", points: [] });
  tools.click({ x: 10, y: 10 }, 0.5, false);
  assert.equal(tools.cancel(), true);
  assert.deepEqual(tools.state().tool, { kind: "wire", points: [] });
  assert.equal(tools.cancel(), true);
  assert.equal(tools.state().tool.kind, "select");
  assert.equal(session.state().selection.size, 1);
  assert.equal(tools.cancel(), true);
  assert.equal(session.state().selection.size, 0);
  assert.equal(tools.cancel(), false);
});

test("labels, no-connections and texts go to the grid or to the pin that is near", async () => {
  const { session, tools } = await open();
  tools.choose({ kind: "label", scope: "global", text: "OUT", angle: 0 });
  tools.click({ x: 95.4, y: 63.3 }, 0.5, false);
  const label = [...(session.state().drawn?.itemOf.values() ?? [])].find(
    (item) => item.kind === "label" && item.text === "OUT",
  );
  assert.deepEqual(label?.kind === "label" && label.at, { x: 95.25, y: 63.5 });
  tools.choose({ kind: "no-connect" });
  tools.click({ x: 20, y: 20 }, 0.5, false);
  assert.equal(count(session, "no_connect"), 1);
  tools.choose({ kind: "label", scope: "local", text: "", angle: 0 });
  tools.click({ x: 30, y: 30 }, 0.5, false);
  assert.equal(session.state().message, "A label needs a name.");
});

test("symbols turn, mirror, go and come back by undo", async () => {
  const { session, tools, byName, text } = await open();
  const before = text();
  session.select([byName("R1")]);
  tools.turn("right");
  const [turned] = session.selectedItems();
  assert.equal(turned?.kind === "symbol" && turned.angle, 0);
  tools.turn("y");
  tools.remove();
  assert.equal(session.state().selection.size, 0);
  for (let step = 0; step < 3; step += 1) session.undo();
  assert.equal(text(), before);
  assert.equal(session.state().canUndo, false);
});

const LIBRARY = `(kicad_symbol_lib (version 20231120) (generator "x")
  (symbol "T" (in_bom yes) (on_board yes) (property "Reference" "U" (at 0 0 0)) (property "Value" "T" (at 0 0 0))
    (symbol "T_1_1" (pin input line (at -5.08 0 0) (length 2.54) (name "A") (number "1")))))`;

test("a symbol of a library is placed with its definition, selected, and numbered", async () => {
  const { session, tools } = await open(emptySheet("00000000-0000-4000-8000-000000000001"));
  const symbol = readSymbolLibrary(LIBRARY).get("T") ?? assert.fail();
  tools.choose({ kind: "symbol", libId: "own:T", symbol, angle: 0 });
  tools.turn("left");
  tools.click({ x: 50.9, y: 50.7 }, 0.5, false);
  tools.click({ x: 70, y: 50.7 }, 0.5, false);
  const [placed] = session.selectedItems();
  assert.equal(placed?.kind === "symbol" && placed.library !== undefined && placed.angle, 90);
  session.annotate();
  const references = session
    .state()
    .design?.sheets[0]?.schematic.items.map((item) => (item.kind === "symbol" ? item.instances[0]?.reference : ""));
  assert.deepEqual(references, ["U1", "U2"]);
  session.annotate();
  assert.equal(session.state().message, "Every symbol already has a number.");
});

test("a file of a later KiCad is shown and not changed", async () => {
  const { session, tools, byName, text } = await open(exampleSheet().replace("20231120", "20990101"));
  const before = text();
  session.select([byName("R1")]);
  tools.remove();
  assert.match(session.state().message ?? "", /It can be viewed, not edited/);
  tools.choose({ kind: "wire", points: [] });
  assert.equal(tools.state().tool.kind, "select");
  assert.equal(tools.dragStart({ x: 76.2, y: 63.5 }, 0.5, "follow", false), false);
  assert.equal(text(), before);
});

test("a sheet is drawn from corner to corner, with a file of its own; its labels become pins that connect", async () => {
  const { session, tools, text } = await open(emptySheet("5e0c4a10-0000-4000-8000-000000000001"));
  tools.choose({ kind: "sheet", name: "Power supply", file: "" });
  tools.click({ x: 76.2, y: 50.8 }, 0.5, false);
  tools.click({ x: 50.8, y: 76.2 }, 0.5, false);
  await sheetsAre(session, 2);
  const [, inner] = session.state().design?.sheets ?? [];
  assert.deepEqual([inner?.file, inner?.name], ["power-supply.kicad_sch", "/Power supply/"]);
  const [sheet] = session.selectedItems();
  assert.deepEqual(sheet?.kind === "sheet" && [sheet.at, sheet.size], [
    { x: 50.8, y: 50.8 },
    { x: 25.4, y: 25.4 },
  ]);

  session.goTo(inner?.path ?? "");
  tools.choose({ kind: "label", scope: "hierarchical", text: "VIN", angle: 0 });
  tools.click({ x: 25.4, y: 25.4 }, 0.5, false);
  session.goTo(session.state().design?.sheets[0]?.path ?? "");
  tools.choose({ kind: "sheet-pin", name: "" });
  tools.click({ x: 12.7, y: 12.7 }, 0.5, false);
  assert.equal(session.state().message, "Click the edge of a sheet.");
  tools.click({ x: 51, y: 63.4 }, 0.5, false);
  assert.match(text(), /\(pin "VIN" input\s+\(at 50\.8 63\.5 180\)/);
  tools.click({ x: 51, y: 66.04 }, 0.5, false);
  assert.match(session.state().message ?? "", /Every hierarchical label of Power supply has a pin/);
  tools.choose({ kind: "sheet-pin", name: "VIN" });
  tools.click({ x: 76.2, y: 63.5 }, 0.5, false);
  assert.equal(session.state().message, "The sheet Power supply has a pin VIN already.");
  session.undo();
  assert.doesNotMatch(text(), /pin "VIN"/);
});

test("a sheet that would contain itself is refused, and the file of an existing one is used", async () => {
  const { session, tools } = await open(emptySheet("5e0c4a10-0000-4000-8000-000000000001"));
  const draw = (name: string, file: string, x: number) => {
    tools.choose({ kind: "sheet", name, file });
    tools.click({ x, y: 25.4 }, 0.5, false);
    tools.click({ x: x + 12.7, y: 50.8 }, 0.5, false);
  };
  draw("Again", ROOT, 25.4);
  assert.equal(session.state().message, `${ROOT} would contain itself.`);
  draw("One", "shared", 25.4);
  await sheetsAre(session, 2);
  draw("Two", "shared.kicad_sch", 63.5);
  await sheetsAre(session, 3);
  const files = session.state().design?.sheets.map(({ file }) => file);
  assert.deepEqual(files, [ROOT, "shared.kicad_sch", "shared.kicad_sch"]);
});

test("a bus entry is turned and placed", async () => {
  const { session, tools, text } = await open(emptySheet("5e0c4a10-0000-4000-8000-000000000001"));
  tools.choose({ kind: "bus-entry", angle: 0 });
  tools.turn("left");
  tools.click({ x: 25.4, y: 25.4 }, 0.5, false);
  assert.equal(count(session, "bus_entry"), 1);
  assert.match(text(), /\(bus_entry\s+\(at 25\.4 25\.4\)\s+\(size 2\.54 2\.54\)/);
});
