import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { describe, it } from "node:test";
import { isLongRun, someOf } from "../../../../../scripts/testing/long.ts";
import { faultyDisk } from "./faulty-disk.suite.ts";
import {
  copyOf,
  IDENTIFIER,
  newFolder,
  open,
  PLACES,
  PRECIOUS,
  prepare,
  SCENARIOS,
  snapshot,
  stateOf,
} from "./scenarios.suite.ts";
import { assertWhole, attempt, forEachOf, rehearse } from "./trial.suite.ts";

const STEPS = isLongRun ? "every step" : "every fifth step";

describe("a kill at any step leaves the old or the new version complete, with kept files", () => {
  let places = 0;
  const elsewhere = (["install", "update", "uninstall"] as const).map((scenario) => ({ scenario, state: PLACES[1] }));
  const trials = [...SCENARIOS.map((each) => ({ scenario: each, state: PLACES[0] })), ...elsewhere];
  for (const [nth, { scenario, state }] of trials.entries()) {
    it(`${scenario}, at ${STEPS}, with the list of packages ${state}`, async (t) => {
      const trial = await rehearse(await newFolder(t), scenario, state);
      const ends = new Set<string>();
      const all = trial.names.flatMap((name, index) => {
        const canBeHalfDone = name === "writeFile" || name === "extract";
        return (canBeHalfDone ? [false, true] : [false]).map((isHalfDone) => ({ name, at: index + 1, isHalfDone }));
      });
      const points = someOf(all, 5, nth);
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

describe("a kill while a package is unpinned", () => {
  for (const state of PLACES) {
    it(`leaves it pinned or not, in both places that store it, with the list of packages ${state}`, async (t) => {
      const { root } = await prepare(await newFolder(t), "update", state);
      const unpin = async (where: string, disk: ReturnType<typeof faultyDisk>) => {
        const installation = await open(where, { disk });
        try {
          await installation.setPinned(IDENTIFIER, false);
        } finally {
          await installation.close();
        }
      };
      const rehearsal = faultyDisk();
      await unpin(copyOf(root, "rehearsal"), rehearsal);
      const verified = await verifiedIn(root);
      const ends = new Set<unknown>();
      for (let at = 1; at <= rehearsal.steps(); at++) {
        const copy = copyOf(root, `${at}`);
        await assert.rejects(unpin(copy, faultyDisk({ kind: "kill", at })));
        const installation = await open(copy);
        const pinned = (await installation.list()).find((entry) => entry.package.identifier === IDENTIFIER)?.pinned;
        assert.deepEqual(await installation.verify(IDENTIFIER), verified);
        await installation.close();
        const file = JSON.parse(readFileSync(stateOf(copy), "utf8"));
        const remembered = JSON.parse(readFileSync(`${copy}/.backplane/manifests/${IDENTIFIER}.json`, "utf8"));
        assert.deepEqual([file.packages[1].pinned, remembered.pinned], [pinned, pinned], `killed at step ${at}`);
        ends.add(pinned);
      }
      assert.deepEqual([...ends].sort(), [false, true]);
    });
  }
});

async function verifiedIn(root: string) {
  const installation = await open(root);
  const verified = await installation.verify(IDENTIFIER);
  await installation.close();
  return verified;
}

describe("a kill of the opening that recovers", () => {
  for (const [scenario, state] of [
    ["update", "in the root"],
    ["uninstall", "in the root"],
    ["update", "elsewhere"],
  ] as const) {
    it(`is recovered from by the next: ${scenario}, with the list of packages ${state}`, async (t) => {
      const trial = await rehearse(await newFolder(t), scenario, state);
      const points: { killed: string; at: number; second: number }[] = [];
      for (let at = trial.names.indexOf("rename"); at <= trial.names.length; at += 5) {
        const killed = copyOf(trial.root, `${at}`);
        await attempt(killed, trial.change, faultyDisk({ kind: "kill", at }));
        const steps = await stepsOfRecovery(copyOf(killed, "rehearsal"));
        for (let second = 1; second <= steps; second += isLongRun ? 3 : 15) points.push({ killed, at, second });
      }
      assert.ok(points.length > (isLongRun ? 30 : 10), `${points.length}`);
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
  assert.equal((fault as { reason?: string }).reason, "bad-identifier");
  return disk.steps();
}
