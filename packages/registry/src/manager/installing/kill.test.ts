import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, it } from "node:test";
import { faultyDisk } from "./faulty-disk.suite.ts";
import { copyOf, newFolder, PRECIOUS, SCENARIOS, snapshot } from "./scenarios.suite.ts";
import { assertWhole, attempt, forEachOf, rehearse } from "./trial.suite.ts";

describe("a kill at any step leaves the old or the new version whole and kept files kept", () => {
  let places = 0;
  for (const scenario of SCENARIOS) {
    it(`${scenario}, at every step`, async (t) => {
      const trial = await rehearse(await newFolder(t), scenario);
      const ends = new Set<string>();
      const points = trial.names.flatMap((name, index) => {
        const canBeHalfDone = name === "writeFile" || name === "extract";
        return (canBeHalfDone ? [false, true] : [false]).map((isHalfDone) => ({ name, at: index + 1, isHalfDone }));
      });
      places += points.length;
      await forEachOf(points, async ({ name, at, isHalfDone }) => {
        const what = `${scenario} killed at step ${at}, ${name}${isHalfDone ? ", half done" : ""}`;
        const root = copyOf(trial.root, `${at}-${isHalfDone}`);
        assert.ok(await attempt(root, trial.change, faultyDisk({ kind: "kill", at, isHalfDone })), what);
        if (scenario !== "install" && scenario !== "uninstall") {
          const contents = Object.values(snapshot(root));
          for (const precious of PRECIOUS) assert.ok(contents.includes(precious), `${what}: lost "${precious}"`);
        }
        ends.add(await assertWhole(root, trial, what));
        rmSync(root, { recursive: true });
      });
      assert.deepEqual([...ends].sort(), ["after", "before"]);
    });
  }

  it("in at least 100 places", () => assert.ok(places >= 100, `${places}`));
});

describe("a kill of the opening that recovers", () => {
  for (const scenario of ["update", "uninstall"] as const) {
    it(`is recovered from by the next: ${scenario}`, async (t) => {
      const trial = await rehearse(await newFolder(t), scenario);
      const points: { killed: string; at: number; second: number }[] = [];
      for (let at = trial.names.indexOf("rename"); at <= trial.names.length; at += 5) {
        const killed = copyOf(trial.root, `${at}`);
        await attempt(killed, trial.change, faultyDisk({ kind: "kill", at }));
        const steps = await stepsOfRecovery(copyOf(killed, "rehearsal"));
        for (let second = 1; second <= steps; second += 3) points.push({ killed, at, second });
      }
      assert.ok(points.length > 30, `${points.length}`);
      await forEachOf(points, async ({ killed, at, second }) => {
        const root = copyOf(killed, `${second}`);
        assert.ok(await attempt(root, trial.change, faultyDisk({ kind: "kill", at: second })));
        await assertWhole(root, trial, `${scenario} killed at ${at}, then at ${second}`);
        rmSync(root, { recursive: true });
      });
    });
  }
});

async function stepsOfRecovery(root: string): Promise<number> {
  const disk = faultyDisk();
  const fault = await attempt(root, { kind: "uninstall", identifier: "../refused" }, disk);
  assert.equal((fault as { code?: string }).code, "bad-identifier");
  return disk.steps();
}
