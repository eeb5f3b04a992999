import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import { Problem } from "@backplane/kit/problems";
import { isLongRun, someOf } from "../../../../scripts/testing/long.ts";
import type { Pastes } from "../services.ts";
import { SCENARIOS, type Scenario } from "./crash-scenarios.suite.ts";
import { faultyDisk } from "./faulty-disk.suite.ts";
import { assertPairs, assertTidy, newProject, open } from "./pastes-under-test.suite.ts";
import type { Disk } from "./storage/disk.ts";

/** At every such step the recovery is killed, too. */
const EVERY = isLongRun ? 7 : 21;

type Attempt = { fault: unknown; project: string };

/** Runs the scenario in a new project, with this disk during the change. */
async function attempt(
  t: TestContext,
  scenario: Scenario,
  disk: Disk,
  look?: (pastes: Pastes, fault: unknown, project: string) => Promise<void>,
): Promise<Attempt> {
  const project = await newProject(t);
  const before = await open(project, scenario.options);
  const subject = await scenario.prepare(before, project);
  await before.close();
  const pastes = await open(project, { ...scenario.options, disk });
  const fault = await scenario.act(pastes, subject).then(
    () => undefined,
    (error: unknown) => error ?? new Error("nothing"),
  );
  await look?.(pastes, fault, project);
  await pastes.close();
  return { fault, project };
}

/** Checks after a restart that both files have one name, and that the change happened completely or not at all. */
async function assertWhole(project: string, scenario: Scenario, what: string): Promise<string> {
  const pastes = await open(project, scenario.options);
  try {
    const originals = await assertPairs(project, pastes, scenario.foreign);
    await assertTidy(project);
    for (const kept of scenario.kept) assert.ok(originals.has(kept), `lost "${kept}"`);
    const state = scenario.describe(pastes);
    assert.ok(state === scenario.before || state === scenario.after, `neither before nor after: ${state}`);
    return state;
  } catch (error) {
    if (error instanceof Error) error.message = `${what}: ${error.message}`;
    throw error;
  } finally {
    await pastes.close();
  }
}

const rehearsed = new Map<Scenario, readonly string[]>();

/** The steps of the scenario when nothing goes wrong; its first test runs it and checks that it comes to its end. */
async function stepsOf(t: TestContext, scenario: Scenario): Promise<readonly string[]> {
  const known = rehearsed.get(scenario);
  if (known !== undefined) return known;
  const disk = faultyDisk();
  const { fault, project } = await attempt(t, scenario, disk);
  assert.equal(fault, undefined);
  assert.equal(await assertWhole(project, scenario, "rehearsal"), scenario.after);
  const steps = [...disk.steps()];
  rehearsed.set(scenario, steps);
  return steps;
}

for (const [nth, scenario] of SCENARIOS.entries()) {
  describe(`${scenario.name}: a killed process leaves both files under one name or the other`, () => {
    it(`at ${isLongRun ? "every step" : "every sixth step"}, even in the middle of a write`, async (t) => {
      const steps = await stepsOf(t, scenario);
      const ends = new Set<string>();
      for (const [place, name] of someOf([...steps.entries()], 6, nth)) {
        for (const isHalfDone of name === "writeFile" ? [false, true] : [false]) {
          const disk = faultyDisk({ kind: "kill", at: place + 1, isHalfDone });
          const killed = await attempt(t, scenario, disk);
          ends.add(await assertWhole(killed.project, scenario, `killed at step ${place + 1}, ${name}`));
        }
      }
      assert.ok(ends.has(scenario.before), "killed early enough nothing has happened");
    });

    it("even if the recovering start is killed, too", async (t) => {
      const steps = await stepsOf(t, scenario);
      for (let place = 0; place < steps.length; place += EVERY) {
        for (let second = 1; ; second += 1) {
          const { project } = await attempt(t, scenario, faultyDisk({ kind: "kill", at: place + 1 }));
          const disk = faultyDisk({ kind: "kill", at: second });
          await open(project, { ...scenario.options, disk }).then(
            (pastes) => pastes.close(),
            () => undefined,
          );
          await assertWhole(project, scenario, `killed at step ${place + 1}, then at ${second}`);
          await rm(project, { recursive: true });
          if (disk.steps().length < second) break;
        }
      }
    });

    it("a disk that fails once leaves nothing half done, even without a restart", async (t) => {
      const steps = await stepsOf(t, scenario);
      for (const [place, name] of someOf([...steps.entries()], 6, nth)) {
        const what = `failed at step ${place + 1}, ${name}`;
        const disk = faultyDisk({ kind: "fail", at: place + 1, code: "ENOSPC", isForGood: false });
        const { project } = await attempt(t, scenario, disk, async (pastes, fault, where) => {
          await assertPairs(where, pastes, scenario.foreign).catch((error) => assert.fail(`${what}: ${error}`));
          if (fault !== undefined) {
            assert.ok(fault instanceof Problem && fault.code === "disk-full", `${what}: ${fault}`);
            assert.equal(scenario.describe(pastes), scenario.before, what);
          }
        });
        await assertWhole(project, scenario, what);
      }
    });

    it("after a disk became read-only, the next start recovers", async (t) => {
      const steps = await stepsOf(t, scenario);
      for (const [place, name] of someOf([...steps.entries()], 6, nth + 3)) {
        const disk = faultyDisk({ kind: "fail", at: place + 1, code: "EROFS", isForGood: true });
        const { fault, project } = await attempt(t, scenario, disk);
        if (fault !== undefined) assert.ok(fault instanceof Problem && fault.code === "folder-refused", String(fault));
        await assertWhole(project, scenario, `read-only from step ${place + 1}, ${name}`);
      }
    });
  });
}
