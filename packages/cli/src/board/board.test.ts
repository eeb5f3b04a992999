import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runLineHere } from "../run-here.suite.ts";

const cwd = mkdtempSync(join(tmpdir(), "board-"));
after(() => rmSync(cwd, { recursive: true }));

const pad = (name: string, x: number) =>
  `(pad "${name}" smd rect (at ${x} 0) (size 1 1) (layers "F.Cu") (net 1 "GND"))`;
const BOARD = `(kicad_pcb (version 20241229) (general (thickness 1.6)) (layers (0 "F.Cu" signal) (2 "B.Cu" signal)) (net 0 "") (net 1 "GND")
  (footprint "Own:R" (layer "F.Cu") (at 15 15) (property "Reference" "R1" (at 0 0 0) (layer "F.Fab")) (property "Value" "1k" (at 0 0 0) (layer "F.Fab"))
    ${pad("1", -1)} ${pad("2", 1)})
  (segment (start 14 15) (end 16 15) (width 0.2) (layer "F.Cu") (net 1))
  (gr_rect (start 10 10) (end 30 22.5) (layer "Edge.Cuts") (width 0.1)))`;
writeFileSync(join(cwd, "a.kicad_pcb"), BOARD);
writeFileSync(join(cwd, "broken.kicad_pcb"), "(kicad_pcb\n  (version 20241229");

const run = (...args: string[]) => runLineHere({ cwd, env: {} }, ["board", ...args]);

test("what a board is, in words and for programs", async () => {
  const { status, stdout } = await run("info", "a.kicad_pcb");
  assert.equal(status, 0);
  assert.match(
    stdout,
    /^a\.kicad_pcb: 20 × 12\.5 mm, 1\.6 mm thick\n {2}2 copper layers: F\.Cu, B\.Cu\n {2}1 part, 2 pads, 1 net\n/,
  );
  const told = JSON.parse((await run("info", "a.kicad_pcb", "--json")).stdout);
  assert.deepEqual([told.widthMm, told.heightMm, told.parts, told.notes], [20, 12.5, 1, []]);
});

test("parts and nets are listed for people and for programs", async () => {
  assert.match((await run("parts", "a.kicad_pcb")).stdout, /R1 {2}1k {2}Own:R {2}front {2}15, 15 mm/);
  assert.match((await run("nets", "a.kicad_pcb")).stdout, /GND {2}2 pads {2}2 mm/);
  const { nets } = JSON.parse((await run("nets", "a.kicad_pcb", "--json")).stdout);
  assert.deepEqual(nets, [{ name: "GND", pads: 2, vias: 0, lengthMm: 2, narrowestMm: 0.2 }]);
});

test("a file that is missing or broken is refused, with the place of the fault", async () => {
  assert.match((await run("info", "none.kicad_pcb")).stderr, /none\.kicad_pcb cannot be read/);
  const broken = await run("nets", "broken.kicad_pcb");
  assert.equal(broken.status, 2);
  assert.match(broken.stderr, /line 2, column 3/);
});
