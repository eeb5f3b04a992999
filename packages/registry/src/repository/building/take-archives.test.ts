import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sampleArchive } from "../../archives/samples.suite.ts";
import { shaOf, Workspace } from "../workspace.suite.ts";
import { type Taken, takeArchives } from "./take-archives.ts";

function tasksIn(workspace: Workspace, count: number) {
  const files = Array.from({ length: count }, (_, index) =>
    workspace.put(`${index}.zip`, sampleArchive({ identifier: `org.n${index}` })),
  );
  files.push(workspace.put("broken.zip", "no archive"), join(workspace.input, "missing.zip"));
  return files.map((file, index) => ({ file, copy: join(workspace.root, `copy-${index}`), size: 1 }));
}

for (const threads of [1, 3]) {
  test(`with ${threads} threads each archive is taken once: copied, inspected and reported`, async () => {
    using workspace = new Workspace();
    const tasks = tasksIn(workspace, 100);
    const result = new Map<number, Taken>();
    await takeArchives(tasks, {
      threads,
      onTaken(index, taken) {
        assert.ok(!result.has(index));
        result.set(index, taken);
      },
    });
    assert.equal(result.size, 102);
    for (const [index, { file, copy }] of tasks.slice(0, 100).entries()) {
      const taken = result.get(index);
      assert.ok(taken && "archive" in taken);
      assert.equal(taken.sha256, shaOf(readFileSync(file)));
      assert.deepEqual(readFileSync(copy), readFileSync(file));
    }
    const [broken, missing] = [result.get(100), result.get(101)];
    assert.ok(broken && "refusal" in broken && broken.refusal.reason === "not-a-zip");
    assert.ok(missing && "unreadable" in missing);
  });

  test(`with ${threads} threads, nothing more is copied after it was aborted`, async () => {
    using workspace = new Workspace();
    const abort = new AbortController();
    const taking = takeArchives(tasksIn(workspace, 400), {
      threads,
      signal: abort.signal,
      onTaken: () => abort.abort(),
    });
    await assert.rejects(taking, { name: "AbortError" });
    assert.ok(readdirSync(workspace.root).length < 400);
  });
}

test("an aborted build leaves nothing behind", async () => {
  using workspace = new Workspace();
  for (const name of ["a", "b"]) workspace.put(`${name}.zip`, sampleArchive({ identifier: `org.${name}` }));
  const abort = new AbortController();
  const build = workspace.build({ signal: abort.signal, onProgress: () => abort.abort() });
  await assert.rejects(build, { name: "AbortError" });
  assert.deepEqual(readdirSync(workspace.out), [".backplane-build"]);
  assert.deepEqual(readdirSync(join(workspace.out, ".backplane-build")), []);
});
