import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { PageToFrame } from "@backplane/contract/panels";
import { probeIsolation } from "./frame-isolation.ts";

function open() {
  const sent: PageToFrame[] = [];
  const clock = { nowMs: 0 };
  const probe = probeIsolation({ port: { postMessage: (message) => void sent.push(message) }, now: () => clock.nowMs });
  const blocks = () => sent.map((message) => (message.type === "block" ? message.blockMs : message.type));
  return { probe, clock, blocks };
}

test("a page that hears of the block before it ends does not share its thread", async () => {
  const { probe, clock, blocks } = open();
  clock.nowMs = 5;
  probe.receive({ type: "block-begun" });
  probe.receive({ type: "block-ended", atMs: 10 });
  assert.equal(await probe.isIsolated, true);
  assert.deepEqual(blocks(), [10]);
});

test("a page that hears of every block only when it has ended shares its thread", async () => {
  const { probe, clock, blocks } = open();
  for (const endMs of [10, 40, 130]) {
    clock.nowMs = endMs;
    probe.receive({ type: "block-begun" });
    probe.receive({ type: "block-ended", atMs: endMs });
  }
  assert.equal(await probe.isIsolated, false);
  assert.deepEqual(blocks(), [10, 30, 90]);
});

test("a page that was busy during the first block finds out with the next", async () => {
  const { probe, clock } = open();
  clock.nowMs = 12;
  probe.receive({ type: "block-begun" });
  probe.receive({ type: "block-ended", atMs: 10 });
  assert.equal(await Promise.race([probe.isIsolated, turn("open")]), "open");
  probe.receive({ type: "block-begun" });
  probe.receive({ type: "block-ended", atMs: 42 });
  assert.equal(await probe.isIsolated, true);
});
