// KiCad's own board module as witness: footprints, pads and nets of boards are what the reader of files here gives.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { before, test } from "node:test";
import { canInstall, install } from "../../../scripts/services/apt.ts";
import { child, children, type List, readTree, textAt } from "./sexpr/index.ts";

const DEMOS = "/usr/share/kicad/demos";
const PYTHON = "/usr/bin/python3";

const SCRIPT = `
import json, sys, pcbnew
board = pcbnew.LoadBoard(sys.argv[1])
pads = [[f.GetReference(), p.GetNumber(), p.GetNetname()] for f in board.GetFootprints() for p in f.Pads()]
print(json.dumps({"footprints": [f.GetReference() for f in board.GetFootprints()], "pads": pads}))
`;

const canImport = (): boolean => existsSync(PYTHON) && spawnSync(PYTHON, ["-c", "import pcbnew"]).status === 0;

before(async () => {
  const needed = [...(canImport() ? [] : ["kicad"]), ...(existsSync(DEMOS) ? [] : ["kicad-demos"])];
  if (needed.length > 0 && canInstall()) await install(needed);
});

interface Board {
  readonly footprints: string[];
  readonly pads: string[][];
}

const referenceOf = (footprint: List): string =>
  textAt(
    children(footprint, "fp_text").find((text) => textAt(text, 1) === "reference"),
    2,
  ) ?? "";

function readBoard(text: string): Board {
  const root = readTree(text);
  // Before KiCad 6 they were called modules.
  const footprints = [...children(root, "footprint"), ...children(root, "module")];
  const pads = footprints.flatMap((footprint) =>
    children(footprint, "pad").map((pad) => [
      referenceOf(footprint),
      textAt(pad, 1) ?? "",
      textAt(child(pad, "net"), 2) ?? "",
    ]),
  );
  return { footprints: footprints.map(referenceOf), pads };
}

const sorted = (rows: readonly (string | readonly string[])[]): string[] =>
  rows.map((row) => JSON.stringify(row)).sort();

test("footprints, pads and nets of every board of kicad-demos are those of pcbnew", (t) => {
  if (!canImport() || !existsSync(DEMOS)) return t.skip("Python's pcbnew or kicad-demos are not here");
  let pads = 0;
  const boards = globSync(`${DEMOS}/**/*.kicad_pcb`).sort();
  for (const file of boards) {
    const ours = readBoard(readFileSync(file, "utf8"));
    const { stdout, stderr } = spawnSync(PYTHON, ["-c", SCRIPT, file], { encoding: "utf8", maxBuffer: 1 << 28 });
    const last = stdout.trim().split("\n").at(-1) ?? "";
    assert.ok(last.startsWith("{"), `${basename(file)}: ${stderr}`);
    const theirs = JSON.parse(last) as Board;
    assert.deepEqual(sorted(ours.footprints), sorted(theirs.footprints), basename(file));
    assert.deepEqual(sorted(ours.pads), sorted(theirs.pads), basename(file));
    pads += theirs.pads.length;
  }
  assert.ok(boards.length >= 14);
  t.diagnostic(`${boards.length} boards, ${pads} pads`);
});
