import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sampleArchive, sampleMetadata } from "../archives/samples.suite.ts";
import { assertConsistent } from "./consistent.suite.ts";
import { Workspace } from "./workspace.suite.ts";

const archive = (name: string, version = "1.0", text = "x") =>
  sampleArchive({ identifier: `org.${name}`, version, files: { "plugins/a.py": text } });

function threePackages(): Workspace {
  const workspace = new Workspace();
  for (const name of ["a", "b", "c"]) workspace.put(`${name}.zip`, archive(name));
  workspace.put("b.json", sampleMetadata({ identifier: "org.b", version: "1.0" }));
  workspace.untilTimePasses();
  return workspace;
}

const cacheIn = ({ out }: Workspace) => join(out, ".backplane-build", "inputs.json");

describe("building again", () => {
  test("unchanged files are not opened, and nothing is written", async () => {
    using workspace = threePackages();
    assert.equal((await workspace.built()).opened, 4);
    const times = () =>
      readdirSync(workspace.out).map((name) => statSync(join(workspace.out, name), { bigint: true }).mtimeNs);
    const [files, before] = [workspace.files(), times()];
    const { opened, changed } = await workspace.built();
    assert.deepEqual({ opened, changed }, { opened: 0, changed: false });
    assert.deepEqual([workspace.files(), times().slice(1)], [files, before.slice(1)]);
  });

  test("only a changed file is opened, and the result is the same as a fresh build", async () => {
    using workspace = threePackages();
    await workspace.built();
    workspace.put("b.zip", archive("b", "1.0", "y"));
    assert.equal((await workspace.built()).opened, 1);
    assertConsistent(workspace.out);
    using fresh = new Workspace();
    await fresh.built({ from: [workspace.input] });
    assert.deepEqual(workspace.read("packages.json"), fresh.read("packages.json"));
    assert.deepEqual(workspace.read("manifests.json"), fresh.read("manifests.json"));
    assert.deepEqual(workspace.read("resources.zip"), fresh.read("resources.zip"));
  });

  test("a change of the same size with an older time is noticed", async () => {
    using workspace = threePackages();
    await workspace.built();
    const file = join(workspace.input, "a.zip");
    const { atime, mtime, size } = statSync(file);
    writeFileSync(file, archive("a", "1.0", "z"));
    utimesSync(file, atime, mtime);
    assert.equal(statSync(file).size, size);
    assert.equal((await workspace.built()).opened, 1);
    assertConsistent(workspace.out);
  });

  test("a removed archive is no longer listed", async () => {
    using workspace = threePackages();
    await workspace.built();
    rmSync(join(workspace.input, "a.zip"));
    assert.equal((await workspace.built()).opened, 0);
    assert.deepEqual(assertConsistent(workspace.out), ["org.b", "org.c"]);
  });

  test("another brand or address needs no archive to be opened again", async () => {
    using workspace = threePackages();
    await workspace.built();
    const baseUrl = "https://mirror.example.org";
    assert.equal((await workspace.built({ brand: "kicad", baseUrl })).opened, 0);
    assertConsistent(workspace.out, baseUrl, "kicad");
  });

  test("the previous repository stays complete for clients that read its repository.json; the one before that is removed", async () => {
    using workspace = threePackages();
    const generations: Record<string, string>[] = [];
    const olds: Buffer[] = [];
    for (const text of ["1", "2", "3"]) {
      workspace.put("a.zip", archive("a", "1.0", text));
      await workspace.built();
      generations.push(workspace.files());
      olds.push(workspace.read("repository.json"));
      if (olds.length < 2) continue;
      const current = workspace.read("repository.json");
      writeFileSync(join(workspace.out, "repository.json"), olds.at(-2) ?? "");
      assertConsistent(workspace.out);
      writeFileSync(join(workspace.out, "repository.json"), current);
    }
    const [first = {}, second = {}, third = {}] = generations.map((files) => Object.keys(files));
    const onlyFirst = (first as string[]).filter((name) => !(third as string[]).includes(name));
    assert.equal(onlyFirst.length, 4, "packages, manifests, one archive and its manifest");
    assert.ok(onlyFirst.every((name) => (second as string[]).includes(name)));
    assert.equal((third as string[]).length, (second as string[]).length);
  });

  test("files of somebody else in the folder stay", async () => {
    using workspace = threePackages();
    await workspace.built();
    writeFileSync(join(workspace.out, "index.html"), "mine");
    writeFileSync(join(workspace.out, "archives", "org.a", "note.txt"), "mine");
    for (const text of ["1", "2", "3"]) {
      workspace.put("a.zip", archive("a", "1.0", text));
      await workspace.built();
    }
    assert.equal(readFileSync(join(workspace.out, "index.html"), "utf8"), "mine");
    assert.equal(readFileSync(join(workspace.out, "archives", "org.a", "note.txt"), "utf8"), "mine");
  });
});

describe("what is remembered", () => {
  const damages: Record<string, (workspace: Workspace) => void> = {
    "was deleted": (workspace) => rmSync(cacheIn(workspace)),
    "is empty": (workspace) => writeFileSync(cacheIn(workspace), ""),
    "was cut off": (workspace) => writeFileSync(cacheIn(workspace), readFileSync(cacheIn(workspace)).subarray(0, -9)),
    "has another byte": (workspace) => {
      const bytes = readFileSync(cacheIn(workspace));
      const at = bytes.indexOf("org.a");
      bytes[at + 4] = 0x62;
      writeFileSync(cacheIn(workspace), bytes);
    },
    "has an archive that is no longer there": ({ out }) => rmSync(join(out, "archives"), { recursive: true }),
    "has a manifest that is no longer there": ({ out }) => rmSync(join(out, "manifests"), { recursive: true }),
    "has icons that are no longer there": ({ out }) => {
      for (const name of readdirSync(out)) if (name.startsWith("resources")) rmSync(join(out, name));
    },
    "has a damaged resources.zip": ({ out }) => {
      for (const name of readdirSync(out)) if (name.startsWith("resources")) writeFileSync(join(out, name), "no zip");
    },
  };
  for (const [name, damage] of Object.entries(damages)) {
    test(`when it ${name}, building is only slower`, async () => {
      using workspace = threePackages();
      await workspace.built();
      const before = workspace.files();
      damage(workspace);
      await workspace.built();
      assert.deepEqual(workspace.files(), before);
      assertConsistent(workspace.out);
      workspace.untilTimePasses();
      assert.equal((await workspace.built()).changed, false);
    });
  }
});
