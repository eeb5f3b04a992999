import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "../../../../../scripts/testing/bundle.ts";
import { isLongRun, someOf } from "../../../../../scripts/testing/long.ts";
import type { Change } from "./plan.ts";
import { copyOf, newFolder, PLACES, SCENARIOS } from "./scenarios.suite.ts";
import { assertWhole, forEachOf, rehearse } from "./trial.suite.ts";

const SOURCE = fileURLToPath(new URL("./scenarios.suite.ts", import.meta.url));
/** Spread over the steps; in a short run one of the first two. kill.test.ts has many more, without a process. */
const PLACES_EACH = isLongRun ? 6 : 2;

const built = mkdtempDisposableSync(join(tmpdir(), "installing-"));
let program: string;
before(async () => {
  program = await bundleProgram(SOURCE, built.path);
});
after(() => built.remove());

/** A real process with the real disk, which ends itself without a chance to clean up. */
async function runAndDie(root: string, change: Change, at: string): Promise<void> {
  const child = spawn(process.execPath, [program, root, JSON.stringify(change), at], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  assert.equal(signal, "SIGKILL", `at ${at}`);
}

const TRIALS = [...SCENARIOS.map((each) => [each, PLACES[0]] as const), ["update", PLACES[1]] as const];
for (const [nth, [scenario, state]] of TRIALS.entries()) {
  it(`a process that is killed by SIGKILL leaves one complete version and no lock: ${scenario}, the list ${state}`, async (t) => {
    const trial = await rehearse(await newFolder(t), scenario, state);
    const spread = Array.from({ length: PLACES_EACH }, (_, index) =>
      Math.max(1, Math.round((trial.names.length * (index + 1)) / PLACES_EACH)),
    );
    const places = [
      ...someOf(spread, PLACES_EACH, nth).map(String),
      ...(scenario === "uninstall" ? [] : ["unpacking"]),
    ];
    await forEachOf(places, async (at) => {
      const root = copyOf(trial.root, at);
      await runAndDie(root, trial.change, at);
      await assertWhole(root, trial, `${scenario} killed at ${at}`);
    });
  });
}
