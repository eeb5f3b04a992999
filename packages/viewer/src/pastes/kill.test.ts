import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isLongRun } from "../../../../scripts/testing/long.ts";
import { assertPairs, assertTidy, newProject, open } from "./pastes-under-test.suite.ts";

const PROGRAM = fileURLToPath(new URL("./churn.suite.ts", import.meta.url));
/** Per project. crash.test.ts has every step of saving and renaming. */
const KILLS = isLongRun ? 5 : 3;
const MAX_LIFE_MS = 150;

/** Ready to begin. */
async function newChild(project: string, cache: string) {
  const env = { ...process.env, NODE_COMPILE_CACHE: cache };
  const child = spawn(process.execPath, [PROGRAM, project], { stdio: ["pipe", "pipe", "inherit"], env });
  await once(child.stdout, "data");
  return child;
}

for (const round of isLongRun ? ["first", "second"] : ["first"])
  it(`${KILLS} processes killed with SIGKILL while they save and rename leave complete pairs of files: ${round} project`, async (t) => {
    const project = await newProject(t);
    const cache = await newProject(t);
    let seen = 0;
    let next = newChild(project, cache);
    // On a slow machine the first ones save nothing, so later ones live longer.
    for (let kill = 1; kill <= KILLS || seen === 0; kill += 1) {
      const child = await next;
      next = newChild(project, cache);
      child.stdin.write("begin\n");
      await once(child.stdout, "data");
      // A plain delay: the kill should hit at a random point.
      await sleep((MAX_LIFE_MS * kill) / KILLS);
      child.kill("SIGKILL");
      const [, signal] = (await once(child, "exit")) as [number | null, string | null];
      assert.equal(signal, "SIGKILL");
      const pastes = await open(project);
      seen = (await assertPairs(project, pastes)).size;
      await assertTidy(project);
      await pastes.close();
    }
    (await next).kill("SIGKILL");
  });
