import assert from "node:assert/strict";
import { test } from "node:test";
import type { WireBatch } from "@backplane/contract/devices";
import { pack, unpack } from "./packed.ts";

const PLAIN: WireBatch[] = [
  {
    c: 1,
    t: [100.5, 200],
    v: [
      [1, null],
      [-0.25, 3],
    ],
  },
  { c: 2, t: [], v: [], reset: true },
  { c: 3, t: [1, 2, 3], v: [[null, null, null]], h: true, thin: true },
];
const OTHERS: WireBatch[] = [
  { c: 4, t: [1], f: ["air_c"], v: [[20]] },
  { c: 5, t: [1], v: [[true]] },
  { c: 6, t: [1], v: [["on"], [[1, 2]]] },
  { c: 7, t: [1, 2], v: [[1]] },
];

test("what was packed is the same when it is unpacked: numbers, missing values, flags, and everything that is no number", () => {
  const packed = pack([...PLAIN, ...OTHERS]);
  assert.deepEqual(packed.others, OTHERS);
  const byChannel = (a: WireBatch, b: WireBatch) => a.c - b.c;
  assert.deepEqual(unpack(packed).sort(byChannel), [...PLAIN, ...OTHERS]);
});

test("nothing is nothing", () => {
  assert.deepEqual(unpack(pack([])), []);
});
