import assert from "node:assert/strict";
import { lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Change } from "./plan.ts";
import { FOLDER, IDENTIFIER, installOf, newFolder, open, put, snapshot } from "./scenarios.suite.ts";

const FILES = { "plugins/main.py": "one", "plugins/sub/a.py": "a" };
const UNINSTALL: Change = { kind: "uninstall", identifier: IDENTIFIER };

describe("deleting never follows symbolic links out of the root", () => {
  it("a folder of the installation that is a link: nothing is done", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    await put(folder, `elsewhere/${FOLDER}/main.py`, "mine");
    mkdirSync(root);
    symlinkSync("../elsewhere", join(root, "plugins"));
    const installation = await open(root);
    const change = await installOf(folder, { version: "1.0", files: FILES });
    await assert.rejects(installation.apply(change), { reason: "link-in-the-way" });
    assert.deepEqual(snapshot(join(folder, "elsewhere")), { [`${FOLDER}/main.py`]: "mine" });
    await installation.close();
  });

  it("a package's folder that is a link: only the link is removed", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    const elsewhere = join(folder, "elsewhere");
    await put(elsewhere, "main.py", "of a developer");
    mkdirSync(join(root, "plugins"), { recursive: true });
    symlinkSync(elsewhere, join(root, "plugins", FOLDER));
    const installation = await open(root);
    const plan = await installation.apply(await installOf(folder, { version: "1.0", files: FILES }));
    assert.deepEqual(plan.deleted, [`plugins/${FOLDER}`]);
    assert.match(plan.warnings[0] ?? "", /Only the link is removed, not its target/);
    assert.ok(lstatSync(join(root, "plugins", FOLDER)).isDirectory());
    await installation.apply(UNINSTALL);
    assert.deepEqual(snapshot(elsewhere), { "main.py": "of a developer" });
    await installation.close();
  });

  it("links inside a package are removed, kept and moved as links", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    const elsewhere = join(folder, "elsewhere");
    await put(elsewhere, "a.py", "mine");
    const installation = await open(root);
    const one = await installOf(folder, { version: "1.0", files: FILES, keep: ["/kept$"] });
    await installation.apply(one);
    const link = (name: string) => symlinkSync(elsewhere, join(root, "plugins", FOLDER, name));
    for (const name of ["kept", "extra"]) link(name);
    const [verified] = await installation.verify();
    assert.deepEqual(verified?.extra, [`plugins/${FOLDER}/extra`]);
    await installation.repair(IDENTIFIER, one.archive);
    assert.equal(snapshot(root)[`plugins/${FOLDER}/extra`], `-> ${elsewhere}`);
    const { kept, deleted } = await installation.apply(one);
    assert.deepEqual([kept, deleted], [[`plugins/${FOLDER}/kept`], [`plugins/${FOLDER}/extra`]]);
    assert.equal(snapshot(root)[`plugins/${FOLDER}/kept`], `-> ${elsewhere}`);
    await installation.apply(UNINSTALL);
    assert.deepEqual(snapshot(elsewhere), { "a.py": "mine" });
    await installation.close();
  });

  it("a link instead of a package's subfolder: files behind it count as missing, repair replaces the link", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    const elsewhere = join(folder, "elsewhere");
    await put(elsewhere, "a.py", "mine");
    const installation = await open(root);
    const one = await installOf(folder, { version: "1.0", files: { "plugins/main.py": "one" } });
    await installation.apply(one);
    symlinkSync(elsewhere, join(root, "plugins", FOLDER, "sub"));
    const two = await installOf(folder, { version: "2.0", files: FILES });
    const plan = await installation.apply(two);
    assert.deepEqual(plan.changed, [`plugins/${FOLDER}/sub`]);
    assert.deepEqual(snapshot(elsewhere), { "a.py": "mine" });
    assert.equal(snapshot(root)[`plugins/${FOLDER}/sub/a.py`], "a");
    await installation.close();
  });

  it("our own folder that is a link is not used", async (t) => {
    const folder = await newFolder(t);
    mkdirSync(join(folder, "elsewhere/staging"), { recursive: true });
    await put(folder, "elsewhere/staging/precious", "mine");
    mkdirSync(join(folder, "one/.backplane"), { recursive: true });
    mkdirSync(join(folder, "two"));
    symlinkSync("../../elsewhere/staging", join(folder, "one/.backplane/staging"));
    symlinkSync("../elsewhere", join(folder, "two/.backplane"));
    await assert.rejects(open(join(folder, "one")), { reason: "link-in-the-way" });
    await assert.rejects(open(join(folder, "two")), { reason: "link-in-the-way" });
    assert.deepEqual(snapshot(join(folder, "elsewhere")), { "staging/precious": "mine" });
  });
});
