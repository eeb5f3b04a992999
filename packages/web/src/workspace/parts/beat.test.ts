import assert from "node:assert/strict";
import { test } from "node:test";
import { createBeat } from "./beat.ts";

/** A page whose time is what the test says; every frame takes as long as the works in it. */
function testPage() {
  let nowMs = 0;
  let waiting: { atMs: number; run: () => void }[] = [];
  const faults: unknown[] = [];
  const later = (run: () => void, ms: number) => void waiting.push({ atMs: nowMs + ms, run });
  const beat = createBeat({
    ...{ nowMs: () => nowMs, later, onFault: (error: unknown) => faults.push(error) },
    beforeFrame: (run) => later(run, 1),
    afterFrame: (run) => later(run, 0),
    together: (run) => run(),
  });
  return {
    ...{ beat, faults },
    take(ms: number) {
      nowMs += ms;
    },
    run(untilMs: number) {
      for (;;) {
        waiting.sort((a, b) => a.atMs - b.atMs);
        const [next] = waiting;
        if (!next || next.atMs > untilMs) break;
        waiting = waiting.slice(1);
        nowMs = Math.max(nowMs, next.atMs);
        next.run();
      }
      nowMs = Math.max(nowMs, untilMs);
    },
  };
}

test("each is called as often as it wants, and not after it ended", () => {
  const { beat, run } = testPage();
  let [often, seldom] = [0, 0];
  const owner = {};
  const end = beat.add(owner, 100, () => {
    often += 1;
  });
  beat.add(owner, 1_000, () => {
    seldom += 1;
  });
  run(10_000);
  assert.ok(often >= 95 && often <= 101, String(often));
  assert.ok(seldom >= 9 && seldom <= 11, String(seldom));
  end();
  const before = often;
  run(12_000);
  assert.equal(often, before);
});

test("however many panels work, half of the time is free, none is forgotten, and no frame is late", () => {
  const page = testPage();
  const counts = Array.from({ length: 40 }, () => 0);
  let longestMs = 0;
  let lastMs = 0;
  let busyMs = 0;
  for (const place of counts.keys())
    page.beat.add({}, 100, () => {
      counts[place] = (counts[place] ?? 0) + 1;
      page.take(10);
      busyMs += 10;
    });
  page.beat.add({}, 33, () => {});
  for (let untilMs = 0; untilMs < 20_000; untilMs += 1) {
    const before = busyMs;
    page.run(untilMs);
    longestMs = Math.max(longestMs, busyMs - before);
    lastMs = untilMs;
  }
  assert.ok(busyMs <= 0.55 * lastMs, `${busyMs} of ${lastMs}`);
  assert.ok(longestMs <= 40, String(longestMs));
  assert.ok(Math.min(...counts) > 0.8 * Math.max(...counts), counts.join());
});

test("who is not seen has no turn until it is seen again; a fault of one does not end the others", () => {
  const { beat, run, faults } = testPage();
  let isShown = false;
  let [hidden, other] = [0, 0];
  beat.add({ isShown: () => isShown }, 100, () => {
    hidden += 1;
  });
  beat.add({}, 100, () => {
    throw new Error("broken");
  });
  beat.add({}, 100, () => {
    other += 1;
  });
  run(1_000);
  assert.equal(hidden, 0);
  assert.ok(other >= 8 && faults.length >= 8);
  isShown = true;
  run(1_200);
  assert.ok(hidden >= 1);
});
