import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, readdir, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { IDENTIFIER, installOf, NOW_MS, newFolder, open, put, snapshot } from "./scenarios.suite.ts";

const FILES = { "plugins/main.py": "one" };

describe("installed_packages.json", () => {
  it("is written as design tools read it, in the brand's spelling", async (t) => {
    const folder = await newFolder(t);
    const installation = await open(folder);
    const change = await installOf(folder, { version: "1.0", files: FILES });
    await installation.apply(change);
    await installation.close();
    const { tool_version, ...version } = change.version;
    assert.deepEqual(JSON.parse(readFileSync(join(folder, "installed_packages.json"), "utf8")), {
      packages: [
        {
          package: { ...change.package, versions: [{ ...version, kicad_version: tool_version }] },
          current_version: "1.0",
          repository_id: "0123456789abcdef",
          repository_name: "Samples",
          install_timestamp: NOW_MS / 1000,
          pinned: false,
        },
      ],
    });
  });

  it("keeps unknown keys, the order, and the entries of other packages unchanged", async (t) => {
    const folder = await newFolder(t);
    const first = { package: { identifier: "org.a" }, current_version: "1", extra: { deep: [1] } };
    const strange = { nothing: "known" };
    const mine = { package: { identifier: IDENTIFIER }, current_version: "0.1", pinned: true, theirs: 5 };
    const last = { package: { identifier: "org.z" }, current_version: "1" };
    await put(
      folder,
      "installed_packages.json",
      JSON.stringify({ v: 2, packages: [first, strange, mine, last], w: [] }),
    );
    const installation = await open(folder);
    await installation.apply(await installOf(folder, { version: "1.0", files: FILES }));
    const read = () => JSON.parse(readFileSync(join(folder, "installed_packages.json"), "utf8"));
    const file = read();
    assert.deepEqual(Object.keys(file), ["v", "packages", "w"]);
    assert.deepEqual([file.packages[0], file.packages[1], file.packages[3]], [first, strange, last]);
    assert.deepEqual([file.packages[2].theirs, file.packages[2].pinned], [5, true]);
    assert.equal(file.packages[2].current_version, "1.0");
    await installation.setPinned(IDENTIFIER, false);
    assert.equal(read().packages[2].pinned, false);
    assert.equal(read().packages[2].theirs, 5);
    await installation.apply({ kind: "uninstall", identifier: IDENTIFIER });
    assert.deepEqual(read(), { v: 2, packages: [first, strange, last], w: [] });
    await installation.close();
  });

  it("loses a pin only when asked to", async (t) => {
    const folder = await newFolder(t);
    const installation = await open(folder);
    const change = await installOf(folder, { version: "1.0", files: FILES });
    const isPinned = async () => (await installation.list())[0]?.pinned;
    await installation.apply(change);
    await installation.setPinned(IDENTIFIER, true);
    await installation.apply(change);
    assert.equal(await isPinned(), true);
    await installation.apply({ ...change, keepPinned: false });
    assert.equal(await isPinned(), false);
    await installation.close();
  });

  for (const [name, text] of [
    ["half a file", '{"packages":['],
    ["an empty file", ""],
    ["a list", "[]"],
    ["no list of packages", '{"packages":{}}'],
  ] as const) {
    it(`that is damaged is never overwritten: ${name}`, async (t) => {
      const folder = await newFolder(t);
      await writeFile(join(folder, "installed_packages.json"), text);
      const change = await installOf(folder, { version: "1.0", files: FILES });
      const installation = await open(folder);
      const before = snapshot(folder);
      const damaged = { reason: "state-damaged", message: /Nothing was changed/ };
      await assert.rejects(installation.apply(change), damaged);
      await assert.rejects(installation.apply({ kind: "uninstall", identifier: IDENTIFIER }), damaged);
      await assert.rejects(installation.list(), damaged);
      await assert.rejects(installation.setPinned(IDENTIFIER, true), damaged);
      assert.deepEqual(snapshot(folder), before);
      await installation.close();
    });
  }

  for (const before of ['{"packages":[],"theirs":1}', undefined]) {
    it(`that is a link is written where the link leads, ${before ? "to a file" : "also to none yet"}`, async (t) => {
      const folder = await newFolder(t);
      await put(folder, "root/x", "");
      await put(folder, "kept/x", "");
      if (before) await writeFile(join(folder, "kept/list.json"), before);
      await symlink("../kept/list.json", join(folder, "root/second"));
      await symlink("second", join(folder, "root/installed_packages.json"));
      const installation = await open(join(folder, "root"));
      await installation.apply(await installOf(folder, { version: "1.0", files: FILES }));
      await installation.setPinned(IDENTIFIER, true);
      await installation.close();
      assert.equal(await readlink(join(folder, "root/installed_packages.json")), "second");
      const file = JSON.parse(readFileSync(join(folder, "kept/list.json"), "utf8"));
      assert.deepEqual([file.theirs, file.packages[0].pinned], [before ? 1 : undefined, true]);
      assert.deepEqual((await readdir(join(folder, "kept"))).sort(), ["list.json", "x"]);
    });
  }

  it("that is a folder, or a link to a folder, to itself or into a missing folder, is refused", async (t) => {
    const folder = await newFolder(t);
    const change = await installOf(folder, { version: "1.0", files: FILES });
    for (const [name, make] of [
      ["folder", (path: string) => mkdir(path)],
      ["link", (path: string) => symlink("..", path)],
    ] as const) {
      await put(folder, `${name}/x`, "");
      await make(join(folder, name, "installed_packages.json"));
      const installation = await open(join(folder, name));
      await assert.rejects(installation.apply(change), { reason: "link-in-the-way" });
      await installation.close();
    }
    await put(folder, "loop/x", "");
    await symlink("installed_packages.json", join(folder, "loop/installed_packages.json"));
    await assert.rejects(open(join(folder, "loop")), { reason: "link-in-the-way", message: /leads to itself/ });
    const stateFile = join(folder, "nowhere/installed_packages.json");
    await assert.rejects(open(join(folder, "root"), { stateFile }), { reason: "no-state-folder" });
  });
});
