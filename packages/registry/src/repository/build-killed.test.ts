import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { sampleArchive } from "../archives/samples.suite.ts";
import { assertConsistent } from "./consistent.suite.ts";
import { Workspace } from "./workspace.suite.ts";

const CHANGING = ["writeFileSync", "renameSync", "mkdirSync", "rmSync", "copyFileSync"] as const;

class Killed extends Error {}

/** From this step on nothing reaches the disk, as after a kill; a file that was being written is left incomplete. */
async function killedAt(step: number, run: () => Promise<unknown>): Promise<boolean> {
  const real = Object.fromEntries(CHANGING.map((name) => [name, fs[name]]));
  let steps = 0;
  for (const name of CHANGING) {
    const original = real[name] as (...given: unknown[]) => unknown;
    const patched = (...given: unknown[]) => {
      steps++;
      if (steps < step) return original(...given);
      if (steps === step && name === "writeFileSync") {
        const bytes = Buffer.from(given[1] as Uint8Array);
        original(given[0], bytes.subarray(0, bytes.length / 2));
      }
      throw new Killed();
    };
    Object.assign(fs, { [name]: patched });
  }
  syncBuiltinESMExports();
  try {
    await run();
    return false;
  } catch (error) {
    // The clean-up at the end of a build is killed as well.
    if (error instanceof Killed || error instanceof SuppressedError) return true;
    throw error;
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
}

const archive = (name: string, version: string) =>
  sampleArchive({ identifier: `org.${name}`, version, files: { "plugins/a.py": version } });

test("a kill at any step leaves the old or the new repository complete, and the next build finishes", async (t) => {
  using expected = new Workspace();
  const change = (workspace: Workspace) => {
    workspace.put("a.zip", archive("a", "2.0"));
    fs.rmSync(join(workspace.input, "b.zip"), { force: true });
    workspace.put("c.zip", archive("c", "1.0"));
  };
  change(expected);
  await expected.built();

  let step = 1;
  for (let wasKilled = true; wasKilled; step++) {
    using workspace = new Workspace();
    workspace.put("a.zip", archive("a", "1.0"));
    workspace.put("b.zip", archive("b", "1.0"));
    await workspace.built();
    change(workspace);
    wasKilled = await killedAt(step, () => workspace.built());
    const listed = assertConsistent(workspace.out).join(" ");
    assert.ok(["org.a org.b", "org.a org.c"].includes(listed), `step ${step}: ${listed}`);

    await workspace.built();
    assert.deepEqual(assertConsistent(workspace.out), ["org.a", "org.c"]);
    assert.deepEqual(workspace.read("packages.json"), expected.read("packages.json"), `step ${step}`);
    const halves = Object.keys(workspace.files()).filter((name) => name.endsWith(".half"));
    assert.deepEqual(halves, [], `step ${step}`);
    assert.deepEqual(fs.readdirSync(join(workspace.out, ".backplane-build")).sort(), ["inputs.json"]);
  }
  t.diagnostic(`${step - 2} kill points`);
  assert.ok(step > 20);
});
