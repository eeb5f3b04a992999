import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, it } from "node:test";
import { isLongRun, someOf } from "../../../../../scripts/testing/long.ts";
import { InstallationFault } from "../faults.ts";
import { faultyDisk } from "./faulty-disk.suite.ts";
import { copyOf, newFolder, PLACES, SCENARIOS, snapshot } from "./scenarios.suite.ts";
import { assertWhole, attempt, type Files, forEachOf, rehearse } from "./trial.suite.ts";

const WORDS: Record<string, string> = { ENOSPC: "no-space", EACCES: "not-permitted" };
/** Used in turn: the code only changes the message. */
const CODES = Object.keys(WORDS);

describe("a disk that fails", () => {
  const trials = [...SCENARIOS.map((each) => [each, PLACES[0]] as const), ["update", PLACES[1]] as const];
  for (const [nth, [scenario, state]] of trials.entries()) {
    it(`once, at any step: a clear error and nothing changed, or the change is complete: ${scenario}, the list ${state}`, async (t) => {
      const trial = await rehearse(await newFolder(t), scenario, state);
      let refused = 0;
      await forEachOf(someOf([...trial.names.entries()], 5, nth), async ([index, name]) => {
        const code = CODES[index % CODES.length] ?? "";
        const what = `${scenario}, ${code} at step ${index + 1}, ${name}`;
        const root = copyOf(trial.root, `${index}`);
        const disk = faultyDisk({ kind: "fail", at: index + 1, code, isForGood: false });
        const fault = await attempt(root, trial.change, disk);
        const isDone = fault === undefined;
        assert.deepEqual(withoutRemains(snapshot(root)), isDone ? trial.after : trial.before, what);
        if (!isDone) {
          refused++;
          assert.ok(fault instanceof InstallationFault, what);
          assert.equal(fault.reason, WORDS[code], what);
        }
        assert.equal(await assertWhole(root, trial, what), isDone ? "after" : "before", what);
        rmSync(root, { recursive: true });
      });
      assert.ok(refused > (isLongRun ? 15 : 4), `${refused}`);
    });

    it(`permanently, from some step on: when the disk works again, the next opening finds the old or the new version: ${scenario}, the list ${state}`, async (t) => {
      const trial = await rehearse(await newFolder(t), scenario, state);
      const everyThird = [...trial.names.entries()].filter(([index]) => index % 3 === 0);
      const points = someOf(everyThird, 3, nth);
      await forEachOf(points, async ([index, name]) => {
        const what = `${scenario}, EIO from step ${index + 1} on, ${name}`;
        const root = copyOf(trial.root, `${index}`);
        const disk = faultyDisk({ kind: "fail", at: index + 1, code: "EIO", isForGood: true });
        const fault = await attempt(root, trial.change, disk);
        const end = await assertWhole(root, trial, what);
        if (fault === undefined) assert.equal(end, "after", what);
        else assert.match((fault as InstallationFault).reason, /^(disk-fault|unfinished)$/, what);
        rmSync(root, { recursive: true });
      });
    });
  }
});

/** Leftovers that a failing disk kept are not part of the installation. */
const withoutRemains = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !/^\.backplane\/(staging|trash)\//.test(path)));
