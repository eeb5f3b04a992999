import assert from "node:assert/strict";
import { type FaultyDisk, faultyDisk } from "./faulty-disk.suite.ts";
import type { Change } from "./plan.ts";
import { copyOf, open, prepare, type Scenario, type StatePlace, snapshot } from "./scenarios.suite.ts";

export type Files = Record<string, string>;

/** What a scenario does when nothing goes wrong: the files before and after, and the name of every step. */
export type Trial = { root: string; change: Change; before: Files; after: Files; names: readonly string[] };

export async function rehearse(folder: string, scenario: Scenario, state?: StatePlace): Promise<Trial> {
  const { root, change } = await prepare(folder, scenario, state);
  const copy = copyOf(root, "rehearsal");
  const disk = faultyDisk();
  assert.equal(await attempt(copy, change, disk), undefined);
  const trial = { root, change, before: snapshot(root), after: snapshot(copy), names: disk.names() };
  assert.ok(!isSame(trial.before, trial.after));
  return trial;
}

/** Opens and applies. Returns what was thrown; undefined: nothing. */
export async function attempt(root: string, change: Change, disk: FaultyDisk): Promise<unknown> {
  try {
    const installation = await open(root, { disk });
    try {
      await installation.apply(change);
    } finally {
      await installation.close();
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

/** After the next opening: exactly the old or the new files, no leftovers of a change, and verified. */
export async function assertWhole(root: string, { before, after }: Trial, what: string): Promise<"before" | "after"> {
  const installation = await open(root, { disk: faultyDisk() });
  const verified = await installation.verify();
  await installation.close();
  const files = snapshot(root);
  const isAfter = isSame(files, after);
  if (!isAfter) assert.deepEqual(files, before, what);
  // Files that the user had altered before are still reported.
  const isAltered = !isAfter && Object.values(before).includes("altered");
  for (const { manifest, missing, altered } of isAltered ? [] : verified) {
    if (manifest === "known") assert.deepEqual([missing, altered], [[], []], what);
  }
  return isAfter ? "after" : "before";
}

function isSame(a: Files, b: Files): boolean {
  const paths = Object.keys(a);
  return paths.length === Object.keys(b).length && paths.every((path) => a[path] === b[path]);
}

const AT_ONCE = 4;

/** A few at a time: each waits for the file system most of the time. */
export async function forEachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
