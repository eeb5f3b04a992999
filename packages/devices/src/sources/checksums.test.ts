import assert from "node:assert/strict";
import { test } from "node:test";
import { crc8, crc8DvbS2, crc16Umts, crc16Xmodem } from "./checksums.ts";

test("checksums are those of the catalogue of CRC algorithms (reveng.sourceforge.io)", () => {
  const check = Buffer.from("123456789");
  assert.deepEqual(
    [crc8, crc8DvbS2, crc16Umts, crc16Xmodem].map((sum) => sum(check)),
    [0xf4, 0xbc, 0xfee8, 0x31c3],
  );
});
