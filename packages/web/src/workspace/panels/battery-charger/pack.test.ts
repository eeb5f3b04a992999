import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack, type Track } from "../../parts/plot/track.ts";
import {
  type Cell,
  cellsAt,
  expect,
  hottestAt,
  innerOhms,
  leftWords,
  spreadOf,
  stateAt,
  weakestWords,
} from "./pack.ts";

const OHMS = [0.004, 0.004, 0.01, 0.004];

/** A pack whose cells have 3.8 V at rest, with these currents, four samples per second. */
function packOf(amps: readonly number[], more: (i: number) => Record<string, unknown> = () => ({})): Track {
  const track = createTrack();
  for (const [i, current_a] of amps.entries()) {
    const cell_v = OHMS.map((ohms) => 3.8 + ohms * current_a + i * 1e-5);
    const values = { current_a, cell_v, pack_v: cell_v.reduce((a, b) => a + b, 0), ...more(i) };
    const fields = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value as never]]));
    track.append({ tMs: [1_000 + i * 250], fields, isHistory: false, thinned: false });
  }
  return track;
}

test("steps of the current show what each cell resists; without a step nothing is known", () => {
  const track = packOf([0, 0, 2, 4, 5, 5, 5]);
  const found = innerOhms(track, track.next - 1, 4);
  for (const [i, ohms] of OHMS.entries()) assert.ok(Math.abs((found[i] ?? 0) - ohms) < 0.0002, found.join());
  assert.ok(innerOhms(packOf([5, 5, 5, 5.1]), 3, 4).every(Number.isNaN));
  assert.ok(innerOhms(track, 1, 4).every(Number.isNaN), "not from what came later");
});

test("a cell with more than twice the usual resistance has aged, and limits the pack", () => {
  const track = packOf([0, 5, 5], () => ({ balance: [false, true, "yes", 1] }));
  const cells = cellsAt(track, 2);
  assert.deepEqual(
    cells.map(({ isAged }) => isAged),
    [false, false, true, false],
  );
  assert.deepEqual(
    cells.map(({ isBalanced }) => isBalanced),
    [false, true, false, false],
  );
  assert.match(weakestWords(cells) ?? "", /^Cell 3 has 2\.5 times the inner resistance/);
  assert.ok(Math.abs(spreadOf(cells) - 0.03) < 1e-6);
  assert.equal(weakestWords(cellsAt(packOf([5, 5]), 1)), undefined);
});

test("what devices send instead of cells is not known, never 0", () => {
  for (const cell_v of ["x", { 0: 3.8 }, [], 5])
    assert.deepEqual(
      cellsAt(
        packOf([1], () => ({ cell_v })),
        0,
      ),
      [],
    );
  const [first, second] = cellsAt(
    packOf([1], () => ({ cell_v: [3.8, "x"] })),
    0,
  ) as [Cell, Cell];
  assert.ok(first.meanV === 3.8 && Number.isNaN(second.volts) && Number.isNaN(spreadOf([first, second])));
  assert.equal(
    cellsAt(
      packOf([1], () => ({ cell_v: Array(10_000).fill(3.8) })),
      0,
    ).length,
    32,
  );
  assert.deepEqual(
    stateAt(
      packOf([1], () => ({ state: 7, fault: "" })),
      0,
    ),
    { state: "", fault: undefined },
  );
  assert.equal(
    hottestAt(
      packOf([1], () => ({ temperature_c: [21, 45.5, "x"] })),
      0,
    ),
    45.5,
  );
  assert.equal(
    hottestAt(
      packOf([1], () => ({ temperature_c: 30 })),
      0,
    ),
    30,
  );
});

test("the expectation puts in exactly what is missing, and ends when the current has faded", () => {
  const now = { packV: 15.6, limitV: 16.8, amps: 5, endA: 0.25, leftMah: 1_500 };
  const ahead = expect(now) ?? assert.fail("nothing is expected");
  let mah = 0;
  for (const [i, { s, amps }] of ahead.entries()) {
    const next = ahead[i + 1];
    if (next) mah += (((amps + next.amps) / 2) * (next.s - s)) / 3.6;
  }
  assert.ok(Math.abs(mah - 1_500) < 15, String(mah));
  assert.ok(Math.abs((ahead.at(-1)?.amps ?? 0) - 0.25) < 1e-6);
  assert.ok((ahead[1]?.s ?? 0) > 300 && ahead[1]?.amps === 5, "first at a constant current");
  assert.ok(ahead.every(({ volts }) => volts <= 16.8));
});

test("nothing is expected of what does not charge, is full, or says too little", () => {
  const now = { packV: 15.6, limitV: 16.8, amps: 5, endA: 0.25, leftMah: 1_500 };
  for (const other of [{ amps: 0 }, { leftMah: 0 }, { endA: Number.NaN }, { packV: Number.NaN }])
    assert.equal(expect({ ...now, ...other }), undefined, JSON.stringify(other));
  assert.equal(expect({ ...now, packV: 16.8 })?.[1]?.s, 0, "at the limit it only fades");
});

test("how long it takes is said in minutes", () => {
  assert.deepEqual([24 * 60, 5, 3_900, Number.NaN].map(leftWords), ["24 min", "1 min", "1 h 05 min", "–"]);
});
