import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { type Disk, realDisk } from "./disk.ts";
import { newFolder, open, PLACES, prepare, SCENARIOS } from "./scenarios.suite.ts";

type Watch = { disk: Disk; unflushed: Set<string> };

/** Tracks folders with names that a power cut may still undo. */
function watch(onStep: (name: string, path: string, unflushed: ReadonlySet<string>) => void): Watch {
  const unflushed = new Set<string>();
  const touching =
    <A extends unknown[]>(name: string, work: (...args: A) => Promise<void>, ...touched: number[]) =>
    async (...args: A): Promise<void> => {
      const isNothing = name === "makeFolder" && existsSync(String(args[0]));
      const paths = isNothing ? [] : touched.map((index) => String(args[index]));
      onStep(name, paths.at(-1) ?? "", unflushed);
      await work(...args);
      for (const path of paths) unflushed.add(dirname(path));
    };
  const disk: Disk = {
    ...realDisk,
    makeFolder: touching("makeFolder", realDisk.makeFolder, 0),
    writeFile: touching("writeFile", realDisk.writeFile, 0),
    link: touching("link", realDisk.link, 1),
    rename: touching("rename", realDisk.rename, 0, 1),
    unlink: touching("unlink", realDisk.unlink, 0),
    removeFolder: touching("removeFolder", realDisk.removeFolder, 0),
    async flushFolder(path) {
      await realDisk.flushFolder(path);
      unflushed.delete(path);
    },
  };
  return { disk, unflushed };
}

for (const [scenario, state] of SCENARIOS.flatMap((each) => PLACES.map((place) => [each, place] as const))) {
  it(`everything a step relies on is on disk before it, in case of a power cut: ${scenario}, the list ${state}`, async (t) => {
    const { root, change } = await prepare(await newFolder(t), scenario, state);
    const own = join(root, ".backplane");
    const journal = join(own, "journal.json");
    const staging = join(own, "staging");
    let phase: "staging" | "moving" | "done" = "staging";
    const { disk } = watch((name, path, unflushed) => {
      const open = [...unflushed];
      if (name === "rename" && path === journal) {
        // The slot's own folder only has the journal's bytes under a spare name by now.
        assert.deepEqual(
          open.filter((folder) => dirname(folder) !== staging),
          [],
        );
        phase = "moving";
      } else if (phase === "moving" && name === "rename") assert.ok(!unflushed.has(own), "the journal is on the disk");
      if (name === "unlink" && path === journal) {
        assert.deepEqual(
          open.filter((folder) => folder === root || !folder.startsWith(own)),
          [],
        );
        assert.ok(!unflushed.has(join(own, "manifests")));
        phase = "done";
      } else if (phase === "done") assert.ok(!unflushed.has(own), "the journal is gone from the disk");
    });
    const installation = await open(root, { disk });
    await installation.apply(change);
    await installation.close();
    assert.equal(phase, "done");
  });
}
