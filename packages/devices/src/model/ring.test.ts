import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import fc from "fast-check";
import { number } from "../testing/devices.ts";
import { createEnvelope } from "./envelope.ts";
import { createRing } from "./ring.ts";

const FIELDS = { a: number, text: { datatype: "text" } } as const;
const values = fc.record(
  { a: fc.integer(), text: fc.string({ maxLength: 5 }) },
  { requiredKeys: [], noNullPrototype: true },
);
const samples = fc.array(fc.tuple(fc.nat({ max: 50 }), values), { maxLength: 1_500 });

test("a ring gives back what was put in, by number and by time, in pieces of any size", () => {
  fc.assert(
    fc.property(samples, fc.integer({ min: 1, max: 700 }), fc.nat({ max: 40_000 }), (given, size, sinceMs) => {
      const ring = createRing(FIELDS);
      let tMs = 0;
      const kept = given.map(([later, one]) => {
        tMs += later;
        return { tMs: ring.append(tMs, one), values: one };
      });
      const read: [number, unknown, unknown][] = [];
      for (let at = ring.after(sinceMs); at < ring.next; ) {
        const { next, tMs: times, values: columns } = ring.columns(at, size, ["a", "text"]);
        assert.ok(times.length <= size);
        for (const [i, time] of times.entries()) read.push([time, columns[0]?.[i], columns[1]?.[i]]);
        at = next;
      }
      const expected = kept.filter((one) => one.tMs > sinceMs);
      assert.deepEqual(
        read,
        expected.map((one) => [one.tMs, one.values.a ?? null, one.values.text ?? null]),
      );
      for (const [i, one] of kept.entries()) assert.deepEqual(ring.sample(i), { ...one, deviceTMs: undefined });
    }),
    { numRuns: 30 },
  );
});

test("an envelope keeps the lowest and the highest value of every 100 ms, and takes few rows", () => {
  const rows = fc.array(
    fc.tuple(fc.nat({ max: 60 }), fc.option(fc.double({ noNaN: true }).map((value) => value + 0))),
    { maxLength: 300 },
  );
  fc.assert(
    fc.property(rows, fc.nat({ max: 300 }), (given, cutAt) => {
      const envelope = createEnvelope(1);
      const windows = new Map<number, number[]>();
      const found = new Map<number, number[]>();
      const put = (map: Map<number, number[]>, tMs: number, value: number | null) => {
        const window = Math.floor(tMs / 100);
        map.set(window, [...(map.get(window) ?? []), ...(value === null ? [] : [value])]);
      };
      const take = (untilMs?: number) => {
        const taken = envelope.take(untilMs);
        for (const [i, tMs] of taken.tMs.entries()) put(found, tMs, (taken.values[0]?.[i] as number | null) ?? null);
      };
      let tMs = 0;
      for (const [i, [later, value]] of given.entries()) {
        tMs += later;
        envelope.add(tMs, () => value);
        put(windows, tMs, value);
        if (i === cutAt) take(tMs);
      }
      take();
      assert.equal(envelope.isEmpty, true);
      assert.deepEqual([...found.keys()], [...windows.keys()]);
      for (const [window, all] of windows) {
        const few = found.get(window) ?? [];
        assert.ok(few.length <= 2);
        assert.equal(Math.max(...few), Math.max(...all));
        assert.equal(Math.min(...few), Math.min(...all));
      }
    }),
    { numRuns: 200 },
  );
});

test("samples with very many numbers, also with text beside them, take about as much as they are", () => {
  const names = Array.from({ length: DEVICES_LIMITS.maxFields - 1 }, (_, n) => `f${n}`);
  const ring = createRing({ ...Object.fromEntries(names.map((name) => [name, number])), text: { datatype: "text" } });
  const sample = { ...Object.fromEntries(names.map((name, n) => [name, n])), text: "ok" };
  const count = 1_000;
  for (let n = 0; n < count; n += 1) ring.append(n, sample);
  assert.equal(ring.next - ring.first, count);
  assert.ok(ring.bytes < 1.5 * 8 * names.length * count, `${ring.bytes} bytes`);
});
