import assert from "node:assert/strict";
import { test } from "node:test";
import { CHIP_TYPES, limitsOfType, MAX_CHIP_ITEMS, readChipMap, readTyped, sizeOf, writeTyped } from "./chip-map.ts";

test("a map has variables and registers with their bits; what cannot be read is named with its line", () => {
  const { items, faults } = readChipMap(`
    speed_rpm 0x20000000 f32   # of the motor
    loops 536870920 u32 ro; TIM1.SR 0x40012C10 u32 ro UIF@0 CC@1..4
    USART2.RDR 0x40004424 u16 once
    speed_rpm 0x20000000 f32
    a b c
    b 0x1 u7
    c 0x1 u8 X@8
    state 0x1 u8
    __proto__ 0x1 u8
  `);
  assert.deepEqual(items, [
    { name: "speed_rpm", address: 0x2000_0000, type: "f32", access: "rw", bits: [] },
    { name: "loops", address: 0x2000_0008, type: "u32", access: "ro", bits: [] },
    {
      ...{ name: "TIM1.SR", address: 0x4001_2c10, type: "u32", access: "ro" },
      bits: [
        { name: "UIF", from: 0, to: 0 },
        { name: "CC", from: 1, to: 4 },
      ],
    },
    { name: "USART2.RDR", address: 0x4000_4424, type: "u16", access: "once", bits: [] },
  ]);
  assert.deepEqual(
    faults.map((fault) => /^Line \d+, \S+: \S+ \S+/.exec(fault)?.[0]),
    [
      ...["Line 6, speed_rpm: it is", "Line 7, a: an address", "Line 8, b: the type", "Line 9, c: bits are"],
      ...["Line 10, state: a name", "Line 11, __proto__: a name"],
    ],
  );
  const many = Array.from({ length: MAX_CHIP_ITEMS + 1 }, (_, i) => `v${i} 0x1 u8`).join("\n");
  assert.equal(readChipMap(many).items.length, MAX_CHIP_ITEMS);
});

test("values of every type are read as they were written, the lowest byte first", () => {
  assert.equal(readTyped(Buffer.from("0a000020", "hex"), "u32"), 0x2000_000a);
  assert.equal(readTyped(Buffer.from("fffe", "hex"), "i16"), -257);
  assert.equal(readTyped(Buffer.from("0000c03f", "hex"), "f32"), 1.5);
  assert.equal(readTyped(Buffer.from("0000c07f", "hex"), "f32"), undefined, "not a number");
  assert.equal(readTyped(Buffer.from("00", "hex"), "u16"), undefined);
  for (const type of CHIP_TYPES)
    for (const value of limitsOfType(type) ?? [-1.5, 1_000_000]) {
      const bytes = writeTyped(value, type);
      assert.deepEqual([bytes.length, readTyped(bytes, type)], [sizeOf(type), value], type);
    }
});
