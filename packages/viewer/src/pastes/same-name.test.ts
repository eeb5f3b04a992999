import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { trials } from "../../../../scripts/testing/long.ts";
import { faultyDisk } from "./faulty-disk.suite.ts";
import { newProject, open, pairFiles, paste } from "./pastes-under-test.suite.ts";

const COUNT = trials(1_000);
/** Disk steps per rename: those of one without competition, and a few more. */
const MAX_STEPS = 16;

it(`${COUNT} pastes with the same name at once: nothing is overwritten, and both files of each keep one name`, async (t) => {
  const project = await newProject(t);
  const disk = faultyDisk();
  const pastes = await open(project, { disk });
  const saved = await Promise.all(Array.from({ length: COUNT }, (_, number) => paste(pastes, `picture ${number}`)));
  assert.equal(new Set(saved.map(({ name }) => name)).size, COUNT, "saved in the same millisecond");
  await writeFile(join(project, "screenshots/sp/login-200x100.png"), "somebody else's");

  const before = disk.steps().length;
  const renamed = await Promise.all(saved.map(({ id }) => pastes.rename(id, "login", "you")));
  assert.ok(disk.steps().length - before < COUNT * MAX_STEPS, `${disk.steps().length - before} steps`);

  const names = renamed.map(({ name }) => name);
  assert.deepEqual(names.toSorted(), Array.from({ length: COUNT }, (_, place) => `login-${place + 2}`).toSorted());
  const expected = names.flatMap((name) => [`${name}-200x100.png`, `${name}-400x200-original.png`]);
  assert.deepEqual(await pairFiles(project), [...expected, "login-200x100.png"].sort());
  assert.equal(await readFile(join(project, "screenshots/sp/login-200x100.png"), "utf8"), "somebody else's");
  for (const [number, { optimized, original }] of renamed.entries()) {
    assert.equal(await readFile(join(project, original.path), "utf8"), `picture ${number}`);
    assert.equal(await readFile(join(project, optimized.path), "utf8"), `optimized:picture ${number}`);
  }
  await pastes.close();

  const again = await open(project);
  const { id } = await paste(again, "one more");
  assert.equal((await again.rename(id, "login", "you")).name, `login-${COUNT + 2}`);
  await again.close();
});
