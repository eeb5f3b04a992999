import assert from "node:assert/strict";
import { test } from "node:test";
import { createReorder } from "./reorder.ts";

function openForTest() {
  let nowMs = 0;
  const taken: number[] = [];
  let lost = 0;
  const add = createReorder<{ number: number }>(() => nowMs, {
    take: ({ number }) => taken.push(number),
    onLost: () => {
      lost += 1;
    },
  });
  return {
    add: (...numbers: number[]) => {
      for (const number of numbers) add({ number: number & 0xffff });
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
    taken,
    lost: () => lost,
  };
}

test("packets come out in order and once, also where the numbers begin anew", () => {
  const { add, taken, lost } = openForTest();
  add(65_533, 65_535, 65_534, 65_534, 1, 65_536, 65_533, 2);
  assert.deepEqual([taken, lost()], [[65_533, 65_534, 65_535, 0, 1, 2], 0]);
});

test("a packet that is missing is waited for, and then left out", () => {
  const { add, taken, lost, pass } = openForTest();
  add(1, 2, 4, 5);
  pass(100);
  add(6);
  assert.deepEqual([taken, lost()], [[1, 2], 0]);
  pass(100);
  add(7, 3);
  assert.deepEqual([taken, lost()], [[1, 2, 4, 5, 6, 7], 1]);
  add(9, 8);
  assert.deepEqual(taken.slice(-2), [8, 9]);
});

test("what waits has a limit, and numbers of another sender begin anew", () => {
  const { add, taken, lost } = openForTest();
  add(0);
  for (let number = 2; number < 2_000; number += 1) add(number);
  assert.deepEqual([taken.length, lost()], [1_999, 1]);
  add(30_000, 30_001);
  assert.deepEqual([taken.slice(-2), lost()], [[30_000, 30_001], 2]);
});

test("any order of packets within the wait comes out in order", () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let round = 0; round < 200; round += 1) {
    const { add, taken, lost } = openForTest();
    const numbers = Array.from({ length: 200 }, (_, i) => 65_400 + i);
    const shuffled = numbers
      .map((number, i) => ({ number, at: i === 0 ? -1 : i + random() * 20 }))
      .sort((a, b) => a.at - b.at);
    add(...shuffled.map(({ number }) => number));
    assert.deepEqual([taken, lost()], [numbers.map((number) => number & 0xffff), 0]);
  }
});
