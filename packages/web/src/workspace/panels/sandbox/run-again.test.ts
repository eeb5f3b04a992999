import assert from "node:assert/strict";
import { test } from "node:test";
import { type EvalEnding, type JournalEval, PANELS_LIMITS } from "@backplane/contract/panels";
import { notRun, type Outcome } from "./frame-calls.ts";
import { A_MOMENT, leftOutWords, ranAgainWords, runAgain } from "./run-again.ts";

const { replayWithinMs } = PANELS_LIMITS;

const evals = (...ended: EvalEnding[]): JournalEval[] =>
  ended.map((each, at) => ({ id: `e${at}`, code: `${at}`, isPrepared: true, ended: each }));

const outcomeOf = (ended: EvalEnding | undefined): Outcome => {
  if (ended === undefined) return notRun("Stuck.");
  const more = { logs: [], durationMs: 1 };
  if (ended === "executed") return { status: "executed", json: undefined, text: "undefined", ...more };
  return { status: "error", error: ended, ended, ...more };
};

/** A frame in which each code takes a second, and ends as the test says. */
function open(...ended: (EvalEnding | undefined)[]) {
  const ran: string[] = [];
  const limits: number[] = [];
  let nowMs = 1_000_000;
  /** How the code ends that is run last, to see whether the frame still answers. */
  const moment: { ended: EvalEnding | undefined } = { ended: "executed" };
  const run = async (code: string, _isPrepared: boolean, timeoutMs: number, untilMs: number): Promise<Outcome> => {
    if (code === A_MOMENT) return outcomeOf(moment.ended);
    ran.push(code);
    limits.push(timeoutMs);
    assert.equal(untilMs, 1_000_000 + replayWithinMs);
    nowMs += 1_000;
    return outcomeOf(ended[Number(code)]);
  };
  return { run, ran, limits, moment, now: () => nowMs };
}

test("code runs again in order, whether it threw or not; one time limit holds for all of it", async () => {
  const { run, ran, limits, now } = open("executed", "threw", "executed");
  assert.equal(await runAgain(evals("executed", "threw", "executed"), run, now), undefined);
  assert.deepEqual(ran, ["0", "1", "2"]);
  assert.deepEqual(limits, [replayWithinMs, replayWithinMs - 1_000, replayWithinMs - 2_000]);
});

test("code that did not end then is not run again, nor what came after it", async () => {
  const { run, ran, now } = open("executed");
  assert.equal(await runAgain(evals("executed", "stopped", "executed"), run, now), "stopped");
  assert.deepEqual(ran, ["0"]);
});

test("code whose promise was pending then is begun, and not waited for", async () => {
  const { ran, now } = open();
  const run = (code: string): Promise<Outcome> => {
    if (code !== A_MOMENT) ran.push(code);
    return code === "0" ? new Promise(() => {}) : Promise.resolve(outcomeOf("executed"));
  };
  assert.equal(await runAgain(evals("pending", "executed"), run, now), undefined);
  assert.deepEqual(ran, ["0", "1"]);
});

test("code that does not end now is not waited for: nothing after it runs", async () => {
  for (const [ended, left] of [
    ["stopped", "stuck"],
    [undefined, "stuck"],
    ["pending", "late"],
  ] as const) {
    const { run, ran, now } = open(ended);
    assert.equal(await runAgain(evals("executed", "executed"), run, now), left);
    assert.deepEqual(ran, ["0"]);
  }
});

test("a frame that stops answering a moment after its code is stuck", async () => {
  for (const ended of [undefined, "stopped"] as const) {
    const { run, moment, now } = open("executed");
    moment.ended = ended;
    assert.equal(await runAgain(evals("executed"), run, now), "stuck");
  }
});

test("when the time is over, the rest is left out; code that ends in another way than then is named", async () => {
  const many = open(...Array.from({ length: 9 }, () => "executed" as const));
  assert.equal(
    await runAgain(evals(...Array.from({ length: 9 }, () => "executed" as const)), many.run, many.now),
    "late",
  );
  assert.equal(many.ran.length, replayWithinMs / 1_000);
  const other = open("threw", "executed");
  assert.equal(await runAgain(evals("executed", "executed"), other.run, other.now), "differs");
  assert.deepEqual(other.ran, ["0", "1"]);
});

test("people are told that the page was loaded, or that code ran elsewhere, and why something is missing", () => {
  assert.match(
    leftOutWords("too-much", true),
    /^This page was loaded after code ran here\. .*\(200 evals, 1 MiB, 30 days\)/,
  );
  assert.match(leftOutWords("late", true), /longer than 5 s/);
  assert.match(leftOutWords("stopped", false), /^Code ran here in another window\. .* was not run again\.$/);
  assert.match(ranAgainWords(1), /^1 eval .* was run again/);
  assert.match(ranAgainWords(3), /^3 evals .* were run again/);
});
