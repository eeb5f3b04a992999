import assert from "node:assert/strict";
import { test } from "node:test";
import { itemsOf, MAX_SHEETS, readDesign, referenceOf, resolveSheetFile, unitOf } from "./index.ts";

const sheetItem = (uuid: string, name: string, file: string) =>
  `(sheet (at 0 0) (size 1 1) (uuid ${uuid}) (property "Sheetname" "${name}" (at 0 0 0)) (property "Sheetfile" "${file}" (at 0 0 0)))`;
const file = (uuid: string, version: number, ...items: readonly string[]) =>
  `(kicad_sch (version ${version}) (generator x) (uuid ${uuid}) ${items.join("\n")})`;
const opener = (files: Readonly<Record<string, string>>) => (name: string) => files[name];

test("a sheet that is used twice has two instances, and its symbols have a reference in each", () => {
  const resistor = `(symbol (lib_id "D:R") (at 0 0 0) (uuid r) (property "Reference" "R?" (at 0 0 0)) (instances (project "top"
    (path "/root/a" (reference "R1") (unit 1)) (path "/root/b" (reference "R2") (unit 2)))))`;
  const design = readDesign(
    "top.kicad_sch",
    opener({
      "top.kicad_sch": file(
        "root",
        20230121,
        sheetItem("a", "Left", "sub/x.kicad_sch"),
        sheetItem("b", "Right", "sub/x.kicad_sch"),
      ),
      "sub/x.kicad_sch": file("x", 20230121, resistor),
    }),
  );
  assert.equal(design.project, "top");
  assert.deepEqual(
    design.sheets.map(({ path, name }) => `${path} ${name}`),
    ["/root /", "/root/a /Left/", "/root/b /Right/"],
  );
  const references = design.sheets.flatMap((sheet) =>
    itemsOf(sheet.schematic, "symbol").map((symbol) => `${referenceOf(symbol, sheet)} ${unitOf(symbol, sheet)}`),
  );
  assert.deepEqual(references, ["R1 1", "R2 2"]);
});

test("KiCad 6 keeps references and pages in the root file", () => {
  const design = readDesign(
    "top.kicad_sch",
    opener({
      "top.kicad_sch": file(
        "root",
        20211123,
        sheetItem("a", "Left", "x.kicad_sch"),
        '(sheet_instances (path "/" (page "1")) (path "/a" (page "7")))',
        '(symbol_instances (path "/a/r" (reference "R5") (unit 1) (value "1k") (footprint "")))',
      ),
      "x.kicad_sch": file("x", 20211123, '(symbol (lib_id "D:R") (at 0 0 0) (uuid r))'),
    }),
  );
  const [, left] = design.sheets;
  assert.ok(left);
  assert.deepEqual([left.page, left.shortPath], ["7", "/a"]);
  assert.deepEqual(
    itemsOf(left.schematic, "symbol").map((symbol) => referenceOf(symbol, left)),
    ["R5"],
  );
});

test("sheets that are missing, broken, outside of the project or inside themselves are faults with a reason", () => {
  const design = readDesign(
    "top.kicad_sch",
    opener({
      "top.kicad_sch": file(
        "root",
        20230121,
        ...["gone", "broken", "/etc/passwd", "../up", "C:\\x", "top", "loop"].map((name, at) =>
          sheetItem(`s${at}`, name, `${name.replaceAll("\\", "\\\\")}${name.includes("/etc") ? "" : ".kicad_sch"}`),
        ),
      ),
      "broken.kicad_sch": "(kicad_sch",
      "loop.kicad_sch": file("l", 20230121, sheetItem("again", "again", "./sub/../loop.kicad_sch")),
    }),
  );
  assert.deepEqual(
    design.faults.map(({ reason }) => reason),
    [
      "gone.kicad_sch does not exist",
      "broken.kicad_sch: The file ends inside a list that begins here (line 1, column 1)",
      'The file name "/etc/passwd" leads out of the project',
      'The file name "../up.kicad_sch" leads out of the project',
      'The file name "C:\\\\x.kicad_sch" leads out of the project',
      "top.kicad_sch contains itself",
      "loop.kicad_sch contains itself",
    ],
  );
});

test("a design that grows with every level ends at the limit of sheets", () => {
  const files: Record<string, string> = {};
  for (let level = 0; level < 30; level++) {
    const next = `${level + 1}.kicad_sch`;
    files[`${level}.kicad_sch`] = file(`f${level}`, 20230121, sheetItem("a", "a", next), sheetItem("b", "b", next));
  }
  const design = readDesign("0.kicad_sch", opener(files));
  assert.ok(design.sheets.length <= MAX_SHEETS);
  assert.ok(design.faults.some(({ reason }) => reason.includes(`more than ${MAX_SHEETS} sheets`)));
});

test("file names of sheets are relative to their parent's folder", () => {
  assert.equal(resolveSheetFile("a/b.kicad_sch", "../c/d.kicad_sch"), "c/d.kicad_sch");
  assert.equal(resolveSheetFile("a/b.kicad_sch", "../../d.kicad_sch"), undefined);
  assert.equal(resolveSheetFile("b.kicad_sch", ""), undefined);
  assert.throws(() => readDesign("x", () => undefined), /x does not exist/);
});
