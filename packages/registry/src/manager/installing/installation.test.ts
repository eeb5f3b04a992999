import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chmod, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { hostileArchives } from "../../archives/hostile.suite.ts";
import { realDisk } from "./disk.ts";
import { FOLDER, IDENTIFIER, installOf, NOW_MS, newFolder, open, put, snapshot } from "./scenarios.suite.ts";

const FILES = { "plugins/main.py": "one", "plugins/lib/a.py": "a", "resources/x.txt": "x" };
const NEXT = { "plugins/main.py": "two", "plugins/lib/b.py": "b", "colors/dark.json": "{}" };
const NONE = { added: [], replaced: [], kept: [], deleted: [], changed: [] };

describe("a plan", () => {
  it("lists what is added, replaced, kept, deleted and changed, and changes nothing", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    await using installation = closing(await open(root));
    const one = await installOf(folder, { version: "1.0", files: FILES });
    const install = await installation.plan(one);
    assert.deepEqual(install, {
      ...NONE,
      identifier: IDENTIFIER,
      kind: "install",
      to: "1.0",
      added: [`plugins/${FOLDER}/lib/a.py`, `plugins/${FOLDER}/main.py`, `resources/${FOLDER}/x.txt`],
      downloadBytes: (await stat(one.archive)).size,
      installBytes: 5,
      warnings: [],
    });
    assert.deepEqual(await installation.apply(one), install);
    await put(root, `plugins/${FOLDER}/mine.txt`, "mine");
    await put(root, `plugins/${FOLDER}/lib/a.py`, "changed");
    await put(root, `plugins/${FOLDER}/keep.txt`, "keep");

    const two = await installOf(folder, { version: "2.0", files: NEXT, keep: ["keep"] });
    const before = snapshot(root);
    const update = await installation.plan(two);
    assert.deepEqual(snapshot(root), before);
    const { added, replaced, kept, deleted, changed, kind, from, to } = update;
    assert.deepEqual([kind, from, to], ["update", "1.0", "2.0"]);
    assert.deepEqual(added, [`colors/${FOLDER}/dark.json`, `plugins/${FOLDER}/lib/b.py`]);
    assert.deepEqual(replaced, [`plugins/${FOLDER}/main.py`]);
    assert.deepEqual(kept, [`plugins/${FOLDER}/keep.txt`]);
    assert.deepEqual(deleted, [
      `plugins/${FOLDER}/lib/a.py`,
      `plugins/${FOLDER}/mine.txt`,
      `resources/${FOLDER}/x.txt`,
    ]);
    assert.deepEqual(changed, [`plugins/${FOLDER}/lib/a.py`, `plugins/${FOLDER}/mine.txt`]);
    assert.deepEqual(await installation.apply(two), update);

    assert.equal((await installation.plan(two)).kind, "reinstall");
    const uninstall = await installation.plan({ kind: "uninstall", identifier: IDENTIFIER });
    assert.equal(uninstall.deleted.length, 4);
    assert.deepEqual(uninstall.changed, [`plugins/${FOLDER}/keep.txt`]);
    assert.deepEqual(await installation.apply({ kind: "uninstall", identifier: IDENTIFIER }), uninstall);
    assert.deepEqual(await installation.list(), []);
    assert.deepEqual(Object.keys(snapshot(root)), ["installed_packages.json"]);
  });

  it("reports a pattern that cannot be used, and then keeps files that the user made or changed", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    await using installation = closing(await open(root));
    await installation.apply(await installOf(folder, { version: "1.0", files: FILES }));
    await put(root, `plugins/${FOLDER}/main.py`, "changed");
    await put(root, `plugins/${FOLDER}/mine.txt`, "mine");
    const two = await installOf(folder, { version: "2.0", files: NEXT, versionKeep: ["(?<mine"] });
    const { warnings, kept, deleted } = await installation.apply(two);
    assert.match(warnings[0] ?? "", /not a regular expression/);
    assert.deepEqual(kept, [`plugins/${FOLDER}/main.py`, `plugins/${FOLDER}/mine.txt`]);
    assert.deepEqual(deleted, [`plugins/${FOLDER}/lib/a.py`, `resources/${FOLDER}/x.txt`]);
    assert.equal(snapshot(root)[`plugins/${FOLDER}/main.py`], "changed");
    const [verified] = await installation.verify();
    assert.deepEqual([verified?.altered, verified?.kept], [[], [`plugins/${FOLDER}/main.py`]]);
    assert.match(verified?.note ?? "", /not a regular expression/);
  });
});

describe("an update", () => {
  it("keeps files that keep_on_update of package or version names, also when the new archive has them", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    await using installation = closing(await open(root));
    await installation.apply(await installOf(folder, { version: "1.0", files: FILES, keep: ["x.txt"] }));
    await put(root, `plugins/${FOLDER}/main.py`, "mine");
    const before = await stat(join(root, `plugins/${FOLDER}/main.py`));
    // The patterns of the new version count, not those of the old one.
    const two = await installOf(folder, { version: "2.0", files: NEXT, versionKeep: ["/main\\.py$"] });
    await installation.apply(two);
    const files = snapshot(root);
    assert.equal(files[`plugins/${FOLDER}/main.py`], "mine");
    assert.equal(files[`resources/${FOLDER}/x.txt`], undefined);
    assert.equal((await stat(join(root, `plugins/${FOLDER}/main.py`))).ino, before.ino);
    const [verified] = await installation.verify();
    assert.deepEqual(verified?.kept, [`plugins/${FOLDER}/main.py`]);
    assert.deepEqual([verified?.missing, verified?.altered, verified?.extra], [[], [], []]);
  });

  it("copies kept files where there are no hard links", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    const link = async () => {
      throw Object.assign(new Error("EPERM"), { code: "EPERM", syscall: "link" });
    };
    await using installation = closing(await open(root, { disk: { ...realDisk, link } }));
    await installation.apply(await installOf(folder, { version: "1.0", files: FILES }));
    await put(root, `plugins/${FOLDER}/mine.sh`, "mine");
    await chmod(join(root, `plugins/${FOLDER}/mine.sh`), 0o750);
    const before = await stat(join(root, `plugins/${FOLDER}/mine.sh`));
    await installation.apply(await installOf(folder, { version: "2.0", files: NEXT, keep: ["mine"] }));
    const after = await stat(join(root, `plugins/${FOLDER}/mine.sh`));
    assert.equal(after.mode, before.mode);
    assert.notEqual(after.ino, before.ino);
    assert.ok(Math.abs(after.mtimeMs - before.mtimeMs) < 2);
    assert.equal(snapshot(root)[`plugins/${FOLDER}/mine.sh`], "mine");
  });

  it("is refused when a kept file and a folder of the archive have the same name", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    await using installation = closing(await open(root));
    await installation.apply(await installOf(folder, { version: "1.0", files: FILES }));
    await put(root, `plugins/${FOLDER}/data`, "mine");
    const before = snapshot(root);
    const two = await installOf(folder, { version: "2.0", files: { "plugins/data/x": "x" }, keep: ["data"] });
    await assert.rejects(installation.plan(two), { reason: "kept-in-the-way" });
    await assert.rejects(installation.apply(two), { reason: "kept-in-the-way" });
    assert.deepEqual(snapshot(root), before);
  });

  it("reports how much is unpacked", async (t) => {
    const folder = await newFolder(t);
    await using installation = closing(await open(join(folder, "root")));
    const seen: number[] = [];
    const change = await installOf(folder, { version: "1.0", files: FILES });
    await installation.apply(change, ({ identifier, done, total }) => {
      assert.deepEqual([identifier, total], [IDENTIFIER, 5]);
      seen.push(done);
    });
    assert.equal(seen.at(-1), 5);
  });
});

describe("an archive that is hostile", () => {
  it("is refused with its reason, and nothing is changed", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    await using installation = closing(await open(root));
    const good = await installOf(folder, { version: "1.0", files: FILES });
    await installation.apply(good);
    const before = snapshot(root);
    let refused = 0;
    for (const { name, bytes, reason } of hostileArchives()) {
      const archive = join(folder, "hostile.zip");
      await writeFile(archive, bytes);
      for (const look of [installation.apply, installation.plan]) {
        await assert.rejects(look({ ...good, archive }), (error: { code?: string; details?: { reason?: string } }) => {
          assert.equal(error.code, "archive-refused", name);
          assert.equal(error.details?.reason, reason, name);
          return true;
        });
      }
      refused++;
    }
    assert.ok(refused >= 25);
    assert.deepEqual(snapshot(root), before);
    assert.deepEqual(await readdir(join(root, ".backplane/staging")), []);
  });
});

describe("verify and repair", () => {
  it("find and restore missing and altered files; kept and extra files stay", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    await using installation = closing(await open(root));
    const one = await installOf(folder, {
      version: "1.0",
      files: { ...FILES, "plugins/s.json": "{}" },
      keep: ["s\\.json"],
    });
    await installation.apply(one);
    assert.deepEqual(await installation.verify(), [
      {
        identifier: IDENTIFIER,
        version: "1.0",
        files: 4,
        missing: [],
        altered: [],
        extra: [],
        kept: [`plugins/${FOLDER}/s.json`],
        manifest: "known",
      },
    ]);
    await rm(join(root, `plugins/${FOLDER}/lib`), { recursive: true });
    await put(root, `plugins/${FOLDER}/main.py`, "eno");
    await put(root, `plugins/${FOLDER}/s.json`, "mine");
    await put(root, `plugins/${FOLDER}/extra.txt`, "extra");
    const [verified] = await installation.verify(IDENTIFIER);
    assert.deepEqual(verified?.missing, [`plugins/${FOLDER}/lib/a.py`]);
    assert.deepEqual(verified?.altered, [`plugins/${FOLDER}/main.py`]);
    assert.deepEqual(verified?.extra, [`plugins/${FOLDER}/extra.txt`]);

    const other = await installOf(folder, { version: "2.0", files: NEXT });
    await assert.rejects(installation.repair(IDENTIFIER, other.archive), { reason: "archive-differs" });
    const planned = await installation.plan({ kind: "repair", identifier: IDENTIFIER, archive: one.archive });
    const plan = await installation.repair(IDENTIFIER, one.archive);
    assert.deepEqual(plan, planned);
    assert.deepEqual(plan.added, verified?.missing);
    assert.deepEqual(plan.replaced, verified?.altered);
    assert.deepEqual(plan.deleted, []);
    const files = snapshot(root);
    assert.equal(files[`plugins/${FOLDER}/main.py`], "one");
    assert.equal(files[`plugins/${FOLDER}/s.json`], "mine");
    assert.equal(files[`plugins/${FOLDER}/extra.txt`], "extra");
    const [again] = await installation.verify();
    assert.deepEqual([again?.missing, again?.altered], [[], []]);
  });

  it("cannot check a package that another program installed, until it is repaired", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    const one = await installOf(folder, { version: "1.0", files: FILES });
    const entry = { package: { ...one.package, odd: 1 }, current_version: "1.0", more: true };
    await put(root, "installed_packages.json", JSON.stringify({ packages: [entry] }));
    await using installation = closing(await open(root));
    const [nothing] = await installation.verify();
    assert.deepEqual([nothing?.manifest, nothing?.files, nothing?.missing.length], ["unknown", 0, 1]);
    await put(root, `plugins/${FOLDER}/main.py`, "one");
    const [unknown] = await installation.verify();
    assert.deepEqual([unknown?.manifest, unknown?.files, unknown?.missing], ["unknown", 1, []]);
    assert.equal(await installation.manifestOf(IDENTIFIER), undefined);
    const update = await installation.plan(await installOf(folder, { version: "2.0", files: NEXT }));
    assert.match(update.warnings[0] ?? "", /Another program/);
    await installation.repair(IDENTIFIER, one.archive);
    assert.equal((await installation.manifestOf(IDENTIFIER))?.files.length, 3);
    assert.deepEqual((await installation.verify())[0]?.missing, []);
    assert.deepEqual(JSON.parse(readFileSync(join(root, "installed_packages.json"), "utf8")), { packages: [entry] });
  });
});

describe("what is refused", () => {
  it("is a package that is not installed, a name that leads elsewhere, and a folder that another package has", async (t) => {
    const folder = await newFolder(t);
    await using installation = closing(await open(join(folder, "root")));
    const uninstall = (identifier: string) => installation.apply({ kind: "uninstall", identifier });
    await assert.rejects(uninstall("org.none"), { code: "not-installed" });
    await assert.rejects(uninstall("../x"), { reason: "bad-identifier" });
    await assert.rejects(installation.verify("org.none"), { code: "not-installed" });
    await assert.rejects(installation.setPinned("org.none", true), { code: "not-installed" });
    await installation.apply(await installOf(folder, { version: "1.0", files: FILES }));
    const twin = await installOf(folder, { identifier: "Org.Example.Sample", version: "1.0", files: FILES });
    await assert.rejects(installation.apply(twin), { reason: "folder-taken" });
  });

  it("is a disk without write permission, with an explanation", { skip: process.getuid?.() === 0 }, async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    await using installation = closing(await open(root));
    await put(root, "plugins/x", "x");
    await chmod(join(root, "plugins"), 0o500);
    const change = await installOf(folder, { version: "1.0", files: FILES });
    await assert.rejects(installation.apply(change), { reason: "not-permitted" });
    await chmod(join(root, "plugins"), 0o700);
  });
});

it("a journal that cannot be read prevents opening, and nothing is changed", async (t) => {
  const folder = await newFolder(t);
  for (const text of [
    "{",
    '{"format":"backplane-journal-1","identifier":"../x","slot":"1","put":[],"remove":[],"entry":null}',
  ]) {
    await put(folder, ".backplane/journal.json", text);
    await put(folder, ".backplane/staging/1/files/plugins/a", "a");
    const before = snapshot(folder);
    await assert.rejects(open(folder), { reason: "journal-damaged" });
    assert.deepEqual(snapshot(folder), before);
  }
});

it("calls take turns", async (t) => {
  const folder = await newFolder(t);
  const root = join(folder, "root");
  await using installation = closing(await open(root));
  const changes = await Promise.all(
    ["org.a", "org.b", "org.c"].map((identifier) => installOf(folder, { identifier, version: "1.0", files: FILES })),
  );
  await Promise.all(changes.map((change) => installation.apply(change)));
  const entries = await installation.list();
  assert.deepEqual(
    entries.map(({ package: { identifier } }) => identifier),
    ["org.a", "org.b", "org.c"],
  );
  assert.equal(entries[0]?.install_timestamp, NOW_MS / 1000);
  assert.equal((await installation.verify()).flatMap(({ missing }) => missing).length, 0);
});

const closing = <T extends { close(): Promise<void> }>(thing: T): T & AsyncDisposable =>
  Object.assign(thing, { [Symbol.asyncDispose]: () => thing.close() });
