import assert from "node:assert/strict";
import { test } from "node:test";
import { BenchFault } from "./fault.ts";
import { compareWith } from "./figures.ts";
import { runRounds } from "./rounds.ts";
import type { Session } from "./session.ts";

const session = (signal = new AbortController().signal): Session => ({
  quick: false,
  only: undefined,
  holdS: undefined,
  upTo: undefined,
  signal,
  progress: () => {},
  clearProgress: () => {},
  report: () => {},
  results: [],
  say: () => {},
  verdicts: [],
});

test("contestants take turns, with a different one first in each repetition, and the first repetition is dropped", async () => {
  const order: string[] = [];
  const measure = async (label: string) => {
    order.push(label);
    return { operations: 1, wallS: 1, cpuS: 1 };
  };
  const rounds = await runRounds(session(), { title: "t", labels: ["a", "b", "c"], repetitions: 5, measure });
  assert.equal(order.join(""), "abcbcacababcbcacab");
  assert.deepEqual(
    rounds.map(({ dropped }) => dropped),
    [true, false, false, false, false, false],
  );
});

test("with several turns, a repetition is one measurement of all of them", async () => {
  const order: string[] = [];
  const measure = async (label: string) => {
    const turn = order.push(label);
    return { operations: turn, wallS: 1, cpuS: 2, p50Ms: turn, p99Ms: 10 };
  };
  const [first] = await runRounds(session(), { title: "t", labels: ["a", "b"], repetitions: 5, measure, turns: 3 });
  assert.equal(order.slice(0, 12).join(""), "abababbababa");
  assert.deepEqual(first?.measurements, {
    a: { operations: 1 + 3 + 5, wallS: 3, cpuS: 6, p50Ms: 3, p99Ms: 10 },
    b: { operations: 2 + 4 + 6, wallS: 3, cpuS: 6, p50Ms: 4, p99Ms: 10 },
  });
});

test("ratios are taken within a repetition, so a machine that slows down for both does not change them", async () => {
  let done = 0;
  const measure = async (label: string) => {
    const slowdown = 1 + Math.floor(done++ / 2);
    return { operations: label === "ours" ? 300 : 100, wallS: slowdown, cpuS: label === "ours" ? 1 : 2 };
  };
  const rounds = await runRounds(session(), { title: "t", labels: ["ours", "peer"], repetitions: 5, measure });
  assert.deepEqual(compareWith("peer", "ours", rounds, "per s").ratio, { median: 3, min: 3, max: 3 });
  assert.deepEqual(compareWith("peer", "ours", rounds, "per CPU-s").ratio, { median: 6, min: 6, max: 6 });
  // The first repetition, the fastest, is not among the figures.
  assert.deepEqual(compareWith("peer", "ours", rounds, "per s").peer, { median: 25, min: 100 / 6, max: 50 });
});

test("too few repetitions, nothing done and no CPU time are faults, never figures", async () => {
  const contest = {
    title: "t",
    labels: ["a"],
    repetitions: 5,
    measure: async () => ({ operations: 1, wallS: 1, cpuS: 1 }),
  };
  await assert.rejects(runRounds(session(), { ...contest, repetitions: 4 }), BenchFault);
  for (const nothing of [{ operations: 0 }, { cpuS: 0 }, { wallS: 0 }, { cpuS: Number.NaN }]) {
    const measure = async () => ({ operations: 1, wallS: 1, cpuS: 1, ...nothing });
    await assert.rejects(runRounds(session(), { ...contest, measure }), BenchFault);
  }
});

test("an interrupted run measures nothing more", async () => {
  const measure = () => assert.fail("measured");
  await assert.rejects(runRounds(session(AbortSignal.abort()), { title: "t", labels: ["a"], measure }), {
    name: "AbortError",
  });
});
