import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createTrack } from "../../parts/plot/track.ts";
import {
  bitAt,
  bitsValue,
  changeOf,
  groupsOf,
  hexWords,
  type Item,
  lineOf,
  readItems,
  typedNumber,
  valuesAt,
  valueWords,
} from "./chip.ts";
import { readElfSymbols, typesOfSize } from "./elf.ts";
import { readSvd } from "./svd.ts";

const register: Item = {
  name: "TIM1.SR",
  address: 0x4001_2c10,
  type: "u32",
  access: "rw",
  bits: [{ name: "UIF", from: 0, to: 0 }],
};
const variable: Item = { name: "speed", address: 0x2000_0000, type: "f32", access: "ro", bits: [] };

test("registers are shown in hexadecimal with the bits that changed, variables as numbers with their difference", () => {
  assert.equal(hexWords(0x31f, 32), "0x0000_031F");
  assert.equal(hexWords(-1, 16), "0xFFFF");
  assert.deepEqual(
    [valueWords(register, 0x31f), valueWords(variable, 1.5), valueWords(variable, undefined)],
    ["0x0000_031F", "1.500", "–"],
  );
  assert.deepEqual(
    [changeOf(register, 0x31f, 0x217), changeOf(register, 1, 0), changeOf(register, 1, 1)],
    ["2 bits", "1 bit", undefined],
  );
  assert.deepEqual([changeOf(variable, 2, 1.5), changeOf(variable, 1, 1.5)], ["+0.500", "−0.500"]);
  assert.deepEqual(
    [bitAt(0x8000_0000, 31), bitAt(0x8000_0000, 30), bitsValue(0b1011_0000, { name: "M", from: 4, to: 6 })],
    [1, 0, 3],
  );
  assert.deepEqual(
    [typedNumber("0x1F"), typedNumber("-2.5"), typedNumber("0b101"), typedNumber("fast"), typedNumber("1e999")],
    [31, -2.5, 5, undefined, undefined],
  );
});

test("what the device lists is read, and nothing else is; values that are not in every sample are found", () => {
  const items = readItems([
    {
      name: "TIM1.SR",
      address: 0x4001_2c10,
      type: "u32",
      access: "rw",
      bits: [{ name: "UIF", from: 0, to: 0 }, { name: "X", from: 70, to: 71 }, 5],
    },
    { name: "speed", address: 0x2000_0000, type: "f32", access: "ro" },
    ...[{ name: 5 }, null, "x"],
  ]);
  assert.deepEqual(items, [register, variable]);
  assert.deepEqual([...groupsOf(items).keys()], ["TIM1", "Variables"]);
  assert.equal(lineOf(register), "TIM1.SR 0x40012c10 u32 UIF@0");
  const track = createTrack();
  track.append({ tMs: [1, 2], fields: { "TIM1.SR": [7, null], speed: [1, 2] }, isHistory: false, thinned: false });
  assert.deepEqual(
    [...valuesAt(track, 1, items)],
    [
      ["TIM1.SR", 7],
      ["speed", 2],
    ],
  );
  assert.deepEqual(readItems("no list"), []);
});

test("the variables of a program that the compiler made are read with their places and sizes", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "elf-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [source, object] = [join(folder, "a.c"), join(folder, "a.o")];
  writeFileSync(
    source,
    "float speed_rpm = 1.5f; unsigned short faults = 3; static long long ticks = 9; int table[10] = {1}; int main(void) { return (int)ticks; }",
  );
  try {
    execFileSync("gcc", ["-c", "-o", object, source], { stdio: "pipe" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return t.skip("there is no compiler");
    throw error;
  }
  const bytes = readFileSync(object);
  const whole = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const sizes = readElfSymbols(whole).map(({ name, size }) => [name, size]);
  assert.deepEqual(sizes, [
    ["faults", 2],
    ["speed_rpm", 4],
    ["table", 40],
    ["ticks", 8],
  ]);
  assert.deepEqual([typesOfSize(4)[0], typesOfSize(40)], ["u32", []]);
  for (let cut = 0; cut < whole.byteLength; cut += 7)
    try {
      readElfSymbols(whole.slice(0, cut));
    } catch (error) {
      assert.match((error as Error).message, /not an ELF file|ends too early|no symbol table/);
    }
});

const SVD = `<?xml version="1.0"?><device><name>X</name><size>32</size><peripherals>
<peripheral><name>TIM1</name><description>Advanced
  timer</description><baseAddress>0x40012C00</baseAddress><registers>
<register><name>SR</name><addressOffset>0x10</addressOffset><fields>
<field><name>UIF</name><bitOffset>0</bitOffset><bitWidth>1</bitWidth></field>
<field><name>MODE</name><bitRange>[6:4]</bitRange></field><field><name>BAD</name><bitOffset>40</bitOffset></field></fields></register>
<register><name>EGR</name><addressOffset>0x14</addressOffset><access>write-only</access></register>
<register><name>DR</name><addressOffset>0x24</addressOffset><size>16</size><access>read-only</access><readAction>clear</readAction></register>
</registers></peripheral>
<!-- <peripheral><name>NO</name></peripheral> -->
<peripheral derivedFrom="TIM1"><name>TIM8</name><baseAddress>0x40013400</baseAddress></peripheral>
</peripherals></device>`;

test("an SVD file gives the registers of each peripheral; one that reading changes is read only on request", () => {
  const [first, second] = readSvd(SVD);
  assert.equal(first?.description, "Advanced timer");
  assert.deepEqual(first?.items.map(lineOf), ["TIM1.SR 0x40012c10 u32 UIF@0 MODE@4..6", "TIM1.DR 0x40012c24 u16 once"]);
  assert.equal(second?.items[0]?.address, 0x4001_3410);
  assert.throws(() => readSvd("<svg></svg>"), /not an SVD file/);
  assert.throws(() => readSvd("<a>".repeat(40)), /nested too deeply/);
});
