import assert from "node:assert/strict";
import { test } from "node:test";
import { type Order, PANELS_LIMITS, type SandboxJournal } from "@backplane/contract/panels";
import { OrderRefused } from "../../panel.ts";
import { notRun, type Outcome } from "./frame-calls.ts";
import type { SandboxFrame } from "./open-frame.ts";
import { createRestore, type Restored } from "./restore.ts";
import { A_MOMENT } from "./run-again.ts";

type Entry = SandboxJournal["evals"][number];
const entry = (id: string, ended: Entry["ended"] = "executed"): Entry => ({ id, code: id, isPrepared: true, ended });
const EXECUTED: Outcome = { status: "executed", json: undefined, text: "undefined", logs: [], durationMs: 1 };
const ORDER: Extract<Order, { kind: "eval" }> = {
  ...{ kind: "eval", tabId: "t", code: "1", isPrepared: true, timeoutMs: 100 },
};

/** A window whose frames note what runs in them. */
function open(journal: Partial<SandboxJournal> | undefined) {
  const stage = {
    journal: journal && { generation: 0, isWhole: true, evals: [], ...journal },
    ran: [] as string[],
    restored: [] as Restored[],
    announced: 0,
    replaced: 0,
    isPrimary: true,
    becomePrimary: () => {},
    /** Set: frames answer this way. */
    outcome: async (): Promise<Outcome> => EXECUTED,
  };
  const frameOf = (generation: number): SandboxFrame => ({
    generation,
    ready: Promise.resolve(),
    condition: () => "ready",
    sharesThread: () => false,
    close() {},
    rasterise: () => Promise.reject(new Error("not here")),
    run(code) {
      if (code === A_MOMENT) return Promise.resolve(EXECUTED);
      stage.ran.push(code);
      return stage.outcome();
    },
  });
  let frame = frameOf(0);
  const follow = (generation: number) => {
    if (generation > frame.generation) frame = frameOf(generation);
    return frame;
  };
  const restore = createRestore({
    windowName: "w",
    context: {
      isPrimary: () => stage.isPrimary,
      onPrimary(listener) {
        stage.becomePrimary = listener;
        return () => {};
      },
      announce() {
        stage.announced += 1;
      },
    },
    read: async () => stage.journal,
    follow,
    replace() {
      stage.replaced += 1;
      frame = frameOf(frame.generation);
      return frame;
    },
    onRestored: (restored) => void stage.restored.push(restored),
  });
  return { stage, restore, frame: () => frame, follow };
}

test("a new frame runs what ran before, once, and before new code", async () => {
  const { stage, restore } = open({ evals: [entry("a"), entry("b")] });
  void restore.start();
  await restore.whenDone({ ...ORDER, timeoutMs: 60_000 });
  assert.deepEqual(stage.ran, ["a", "b"]);
  await restore.start();
  assert.deepEqual(stage.ran, ["a", "b"]);
  assert.deepEqual(stage.restored, [{ count: 2, left: undefined, isNew: true }]);
});

test("what ran in this window is never run again in it; what ran in another is, when this one answers", async () => {
  const { stage, restore, frame } = open({ evals: [entry("a")] });
  await restore.start();
  assert.deepEqual(restore.noteRun(frame(), EXECUTED), { id: "w-1", generation: 0, ended: "executed" });
  const evals = [entry("a"), entry("w-1"), entry("other-1")];
  stage.journal = { generation: 0, isWhole: true, evals };
  stage.becomePrimary();
  await restore.start();
  assert.deepEqual(stage.ran, ["a", "other-1"]);
  assert.deepEqual(stage.restored.at(-1), { count: 1, left: undefined, isNew: false });
  evals.push(entry("other-2"));
  stage.isPrimary = false;
  await restore.whenDone({ ...ORDER, timeoutMs: 60_000 });
  assert.deepEqual(
    stage.ran,
    ["a", "other-1", "other-2"],
    "an order may be faster than the word that this one answers",
  );
});

test("code that did not run is not noted", () => {
  const { restore, frame } = open({});
  assert.equal(restore.noteRun(frame(), notRun("Stuck.")), undefined);
});

test("a frame that ran more than a journal keeps is not compared any more", async () => {
  const { stage, restore, frame } = open({});
  await restore.start();
  for (let count = 0; count <= PANELS_LIMITS.maxJournalEvals; count += 1) restore.noteRun(frame(), EXECUTED);
  stage.journal = { generation: 0, isWhole: true, evals: [entry("w-201")] };
  await restore.start();
  assert.deepEqual(stage.ran, []);
});

test("an empty journal, one that is not whole, and one that cannot be read are told apart", async () => {
  for (const [journal, left] of [
    [{}, undefined],
    [{ isWhole: false }, "too-much"],
    [undefined, "unread"],
  ] as const) {
    const { stage, restore } = open(journal);
    await restore.start();
    assert.deepEqual(stage.restored, [{ count: 0, left, isNew: true }]);
    assert.deepEqual(stage.ran, []);
  }
});

test("code that does not end any more: an empty frame takes its place, and nothing is tried again in it", async () => {
  const { stage, restore } = open({ evals: [entry("a"), entry("loop")] });
  stage.outcome = async () => (stage.ran.at(-1) === "loop" ? notRun("Stuck.") : EXECUTED);
  await restore.start();
  assert.deepEqual([stage.ran, stage.replaced], [["a", "loop"], 1]);
  assert.deepEqual(stage.restored, [{ count: 2, left: "stuck", isNew: true }]);
  await restore.start();
  assert.deepEqual(stage.ran, ["a", "loop"]);
});

test("the journal of a newer generation is for the newer frame; that of an older one is for none", async () => {
  const { stage, restore, frame, follow } = open({ generation: 2, evals: [entry("a")] });
  await restore.start();
  assert.deepEqual([frame().generation, stage.ran], [2, ["a"]]);
  follow(3);
  await restore.start();
  assert.deepEqual(stage.ran, ["a"]);
});

test("code that would wait for long is refused as not run, and the server is told when it can come", async () => {
  const { stage, restore } = open({ evals: [entry("a")] });
  const slow = Promise.withResolvers<Outcome>();
  stage.outcome = () => slow.promise;
  const done = restore.start();
  await assert.rejects(
    restore.whenDone(ORDER),
    (fault) => fault instanceof OrderRefused && fault.code === "not-mounted",
  );
  assert.equal(stage.announced, 0);
  slow.resolve(EXECUTED);
  await done;
  assert.equal(stage.announced, 1);
  await restore.whenDone(ORDER);
});
