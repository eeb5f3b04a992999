import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { moveFoldersToIds } from "./owner-folders.ts";

/** Who has which name today; "gone" was removed, and nobody has its name. */
const IDS: Record<string, string> = { ada: "1", bob: "2", "@3": "4" };
const idOf = async (name: string) => IDS[name];

/** `project/file` → content, in the folder of a home that an earlier version has used. */
function makeHome(t: TestContext, files: Record<string, string>): string {
  const projectsFolder = mkdtempSync(join(tmpdir(), "projects-"));
  t.after(() => rmSync(projectsFolder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(projectsFolder, path, ".."), { recursive: true });
    writeFileSync(join(projectsFolder, path), text);
  }
  return projectsFolder;
}

function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}

const BEFORE = { "ada/rover/a.txt": "a", "ada/plane/b.txt": "b", "bob/rover/c.txt": "c", "gone/rover/d.txt": "d" };
const AFTER = {
  ...{ "@1/plane/b.txt": "b", "@1/rover/a.txt": "a", "@2/rover/c.txt": "c", "gone/rover/d.txt": "d" },
};

test("files of an earlier version go to the id that has the name now; what nobody has stays, and nobody gets it later", async (t) => {
  const rest = { "@3/rover/mine": "by id already", notes: "a file" };
  const projectsFolder = makeHome(t, { ...BEFORE, ...rest });
  assert.deepEqual(await moveFoldersToIds({ projectsFolder, idOf }), []);
  assert.deepEqual(filesIn(projectsFolder), { ...AFTER, ...rest });
  assert.deepEqual(await moveFoldersToIds({ projectsFolder, idOf: async () => "5" }), []);
  assert.deepEqual(filesIn(projectsFolder), { ...AFTER, ...rest }, "a later owner of a name gets nothing");
});

test("a start that is killed at any step loses nothing, and the next start completes it", async (t) => {
  for (let steps = 0; steps <= 2; steps += 1) {
    const projectsFolder = makeHome(t, BEFORE);
    let left = steps;
    const move: typeof rename = (from, to) => {
      if (left-- === 0) throw new Error("killed");
      return rename(from, to);
    };
    const [outcome] = await Promise.allSettled([moveFoldersToIds({ projectsFolder, idOf, move })]);
    assert.equal(outcome.status, steps < 2 ? "rejected" : "fulfilled");
    assert.deepEqual(Object.values(filesIn(projectsFolder)).sort(), ["a", "b", "c", "d"], `after ${steps} steps`);
    await Promise.all([moveFoldersToIds({ projectsFolder, idOf }), moveFoldersToIds({ projectsFolder, idOf })]);
    assert.deepEqual(filesIn(projectsFolder), AFTER, "two instances that start together");
  }
});

test("where the owner has files already, other projects are added; one that both have stays, and is named", async (t) => {
  const projectsFolder = makeHome(t, {
    ...{ "@1/rover/a.txt": "new", "ada/rover/a.txt": "old", "ada/plane/b.txt": "b" },
    ...{ "@2/rover/c.txt": "c", "bob/boat/e.txt": "e" },
  });
  assert.deepEqual(await moveFoldersToIds({ projectsFolder, idOf }), [join(projectsFolder, "ada", "rover")]);
  assert.deepEqual(filesIn(projectsFolder), {
    ...{ "@1/plane/b.txt": "b", "@1/rover/a.txt": "new", "@2/boat/e.txt": "e", "@2/rover/c.txt": "c" },
    "ada/rover/a.txt": "old",
  });
});

test("a project that is a link stays that link", async (t) => {
  const projectsFolder = makeHome(t, { "@outside/rover/a.txt": "a", "ada/boat/b.txt": "b" });
  symlinkSync("../@outside/rover", join(projectsFolder, "ada", "rover"));
  assert.deepEqual(await moveFoldersToIds({ projectsFolder, idOf }), []);
  assert.equal(readFileSync(join(projectsFolder, "@1", "rover", "a.txt"), "utf8"), "a");
});

test("without a projects folder there is nothing to move", async (t) => {
  assert.deepEqual(await moveFoldersToIds({ projectsFolder: join(makeHome(t, {}), "missing"), idOf }), []);
});
