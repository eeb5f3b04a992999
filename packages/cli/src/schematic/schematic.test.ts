import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runLineHere } from "../run-here.suite.ts";

const cwd = mkdtempSync(join(tmpdir(), "schematic-"));
after(() => rmSync(cwd, { recursive: true }));

const resistor = (
  reference: string,
  x: number,
) => `(symbol (lib_id "Own:R") (at ${x} 20 0) (unit 1) (in_bom yes) (on_board yes)
  (uuid ${reference}) (property "Reference" "${reference}" (at 0 0 0)) (property "Value" "1k" (at 0 0 0)) (property "MPN" "X-1" (at 0 0 0)))`;
const FILE = `(kicad_sch (version 20230121) (generator x) (uuid root)
  (lib_symbols (symbol "Own:R" (symbol "R_1_1"
    (pin passive line (at 0 3.81 270) (length 1.27) (name "~") (number "1"))
    (pin passive line (at 0 -3.81 90) (length 1.27) (name "~") (number "2")))))
  (wire (pts (xy 20 16.19) (xy 30 16.19))) (wire (pts (xy 20 23.81) (xy 30 23.81))) (label "A" (at 25 16.19 0))
  ${resistor("R1", 20)} ${resistor("R2", 30)})`;
writeFileSync(join(cwd, "a.kicad_sch"), FILE);
writeFileSync(join(cwd, "open.kicad_sch"), FILE.replace("(xy 20 23.81)", "(xy 21 23.81)"));
writeFileSync(join(cwd, "broken.kicad_sch"), "(kicad_sch\n  (version 20230121");

const run = (...args: string[]) => runLineHere({ cwd, env: {} }, ["schematic", ...args]);

test("a design without errors is checked with code 0, one with errors or --strict with code 1", async () => {
  const fine = await run("check", "a.kicad_sch");
  assert.equal(fine.status, 0, fine.stdout);
  assert.match(fine.stdout, /endpoint_off_grid/);
  assert.match(fine.stdout, /1 sheet, 0 errors, \d+ warnings/);
  assert.equal((await run("check", "a.kicad_sch", "--strict")).status, 1);
  const open = await run("check", "open.kicad_sch", "--json");
  assert.equal(open.status, 1);
  const { findings } = JSON.parse(open.stdout) as { findings: { rule: string; message: string; sheet: string }[] };
  assert.deepEqual(findings[0], {
    ...{ rule: "pin_not_connected", severity: "error", message: "Pin 2 of R1 is not connected." },
    ...{ sheet: "/", file: "a.kicad_sch".replace("a.", "open."), xMm: 20, yMm: 23.81 },
  });
});

test("parts and nets are listed for people and for programs", async () => {
  assert.match((await run("symbols", "a.kicad_sch")).stdout, /R1 {2}1k/);
  assert.match((await run("nets", "a.kicad_sch")).stdout, /\/A +R1.1 R2.1/);
  const { nets } = JSON.parse((await run("nets", "a.kicad_sch", "--json")).stdout) as { nets: { name: string }[] };
  assert.deepEqual(
    nets.map(({ name }) => name),
    ["/A", "Net-(R1-Pad2)"],
  );
  const { symbols } = JSON.parse((await run("symbols", "a.kicad_sch", "--json")).stdout) as { symbols: unknown[] };
  assert.equal(symbols.length, 2);
});

test("netlist and bill of materials go to standard output or to a file, which is not replaced unasked", async () => {
  assert.match((await run("netlist", "a.kicad_sch")).stdout, /^\(export\n {2}\(version "E"\)/);
  assert.equal((await run("bom", "a.kicad_sch", "--field", "MPN")).stdout.split("\r\n")[1], "R1 R2,1k,,2,,X-1");
  assert.equal((await run("bom", "a.kicad_sch", "--out", "bom.csv")).status, 0);
  assert.match(readFileSync(join(cwd, "bom.csv"), "utf8"), /^Reference,/);
  const again = await run("bom", "a.kicad_sch", "--out", "bom.csv");
  assert.equal(again.status, 6);
  assert.match(again.stderr, /--force/);
  assert.equal((await run("bom", "a.kicad_sch", "--out", "bom.csv", "--force")).status, 0);
});

test("a sheet is drawn as SVG or PNG, by the name of the file", async () => {
  assert.match((await run("render", "a.kicad_sch")).stdout, /^<svg [\s\S]*<\/svg>\n$/);
  assert.equal((await run("render", "a.kicad_sch", "--out", "a.png", "--pixels", "300")).status, 0);
  const png = readFileSync(join(cwd, "a.png"));
  assert.deepEqual([png.subarray(1, 4).toString(), png.readUInt32BE(16)], ["PNG", 300]);
  assert.match((await run("render", "a.kicad_sch", "--sheet", "/None/")).stderr, /no sheet \/None\//);
  assert.match((await run("render", "a.kicad_sch", "--pixels", "7")).stderr, /from 64 to 4096/);
});

test("a file that is missing or broken is refused, with the place of the fault", async () => {
  assert.match((await run("check", "none.kicad_sch")).stderr, /none.kicad_sch cannot be read/);
  const broken = await run("nets", "broken.kicad_sch");
  assert.equal(broken.status, 2);
  assert.match(broken.stderr, /line 2, column 3/);
});
