import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { before, test } from "node:test";
import { canInstall, install } from "../../../scripts/services/apt.ts";
import { readBoard } from "./board/index.ts";
import { EditFault, EditHistory } from "./edits/index.ts";
import { checkDesign } from "./erc/index.ts";
import { readNets } from "./nets/index.ts";
import { type Design, readDesign, readSchematic, readSymbolLibrary } from "./schematic/index.ts";
import { applySplices, child, children, readTree, textAt } from "./sexpr/index.ts";
import { createRandom, createUuids } from "./testing/random.ts";
import { moveAndCompare, randomEdit } from "./testing/random-edits.ts";

const DEBIAN = "/usr/share/kicad";
const DEBIAN_PACKAGES = ["kicad-demos", "kicad-symbols", "kicad-footprints"];
/** Real files beside the clone, where there are some. */
const BESIDE = join(import.meta.dirname, "../../../../shared/corpus/kicad");

const read = (file: string): string => readFileSync(file, "utf8");
const files = (ending: string): string[] =>
  [DEBIAN, BESIDE].flatMap((folder) => globSync(`${folder}/**/*.${ending}`)).sort();

function openDesign(file: string): Design {
  return readDesign(basename(file), (name) => {
    const path = join(dirname(file), name);
    return existsSync(path) ? read(path) : undefined;
  });
}

before(async () => {
  const isThere = ["demos", "symbols", "footprints"].every((folder) => existsSync(join(DEBIAN, folder)));
  if (!isThere && canInstall()) await install(DEBIAN_PACKAGES);
});

test("every schematic, board, symbol and footprint of Debian's KiCad is read", (t) => {
  if (!existsSync(join(DEBIAN, "demos")))
    return t.skip("Debian's packages of KiCad are not here, and cannot be installed");
  const counts = { kicad_sch: 0, kicad_sym: 0, kicad_pcb: 0, kicad_mod: 0 };
  for (const ending of Object.keys(counts) as (keyof typeof counts)[]) {
    for (const file of files(ending)) {
      const text = read(file);
      const root = ending === "kicad_sch" ? readSchematic(text).root : readTree(text);
      if (ending === "kicad_pcb") assert.deepEqual(readBoard(text).notes, [], file);
      if (ending === "kicad_sym") assert.ok(readSymbolLibrary(text).size >= 0, file);
      assert.equal(applySplices(text, []), text);
      assert.equal(text.slice(root.end).trim(), "", file);
      counts[ending]++;
    }
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.kicad_sch >= 30 && counts.kicad_sym >= 200 && counts.kicad_pcb >= 14 && counts.kicad_mod >= 12_000);
});

/** What the pads of a board say: pads by the name of their net. */
function padsOf(board: string): Map<string, string> {
  const root = readTree(read(board));
  const nets = new Map<string, Set<string>>();
  for (const footprint of [...children(root, "footprint"), ...children(root, "module")]) {
    const reference = textAt(
      children(footprint, "fp_text").find((text) => textAt(text, 1) === "reference"),
      2,
    );
    for (const pad of children(footprint, "pad")) {
      const net = textAt(child(pad, "net"), 2);
      if (net === undefined || textAt(pad, 1) === "") continue;
      nets.set(net, (nets.get(net) ?? new Set()).add(`${reference}.${textAt(pad, 1)}`));
    }
  }
  return new Map([...nets].map(([name, pads]) => [[...pads].sort().join(" "), name]));
}

test("the nets of KiCad's demos are those of the pads of their boards, with the same names", (t) => {
  let [compared, named] = [0, 0];
  for (const board of files("kicad_pcb")) {
    const file = board.replace(/pcb$/, "sch");
    if (!existsSync(file)) continue;
    const ours = new Map<string, string>();
    for (const { name, pins } of readNets(openDesign(file)).nets) {
      const pads = new Set(
        pins.filter(({ reference }) => !reference.startsWith("#")).map((pin) => `${pin.reference}.${pin.pin.number}`),
      );
      if (pads.size > 0) ours.set([...pads].sort().join(" "), name);
    }
    for (const [pads, name] of padsOf(board)) {
      assert.ok(ours.has(pads), `${basename(board)}: ${name} has ${pads}`);
      compared++;
      // Boards that an older KiCad saved have its names for pins that are alone.
      if (pads.includes(" ")) assert.equal(ours.get(pads), name, basename(board));
      if (ours.get(pads) === name) named++;
    }
  }
  if (compared === 0) return t.skip("There are no boards here");
  t.diagnostic(`${compared} nets, ${named} with the same name`);
});

test("a thousand random edits of a real sheet are undone to the last byte, and rules are checked on every design", (t) => {
  const sheets = files("kicad_sch").filter((file) => read(file).length < 120_000);
  if (sheets.length === 0) return t.skip("There are no schematics here");
  const [random, newUuid] = [createRandom(1), createUuids()];
  const text = read(sheets[0] ?? "");
  const history = new EditHistory(text);
  for (let steps = 0; steps < 1000; ) {
    try {
      const splices = randomEdit(readSchematic(history.text), random, newUuid);
      if (splices.length === 0) continue;
      history.apply(splices);
      steps++;
    } catch (fault) {
      // Such as a move that leaves no free way for a wire.
      if (!(fault instanceof EditFault)) throw fault;
    }
  }
  readSchematic(history.text);
  while (history.canUndo) history.undo();
  assert.equal(history.text, text);
  for (const file of files("kicad_sch")) assert.ok(Array.isArray(checkDesign(openDesign(file))), file);
});

test("nets are the same after moves with wires on real sheets", (t) => {
  const sheets = files("kicad_sch").filter((file) => read(file).length < 400_000);
  let compared = 0;
  for (const file of sheets) {
    const text = read(file);
    compared += moveAndCompare(text, 10, createRandom(7), createUuids(), (splices) => applySplices(text, splices));
  }
  t.diagnostic(`${compared} moves on ${sheets.length} sheets`);
});
