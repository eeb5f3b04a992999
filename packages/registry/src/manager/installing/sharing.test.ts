import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { realDisk } from "./disk.ts";
import { closeKicad, KICAD_INSTALLED, kicadFound, kicadText, uninstallInKicad } from "./kicad-6.suite.ts";
import {
  FOLDER,
  IDENTIFIER,
  installOf,
  newFolder,
  open,
  put,
  settingsOf,
  snapshot,
  stateOf,
} from "./scenarios.suite.ts";

const FILES = { "plugins/main.py": "one", "plugins/settings.ini": "factory" };
const KEEP = ["settings[.]ini$"];
const SETTINGS = `plugins/${FOLDER}/settings.ini`;

async function newRoot(t: TestContext, packages: readonly unknown[] = []) {
  const folder = await newFolder(t);
  const root = join(folder, "root");
  await mkdir(settingsOf(root), { recursive: true });
  if (packages.length > 0) await writeFile(stateOf(root), kicadText(packages));
  return { folder, root, state: stateOf(root), remembered: join(root, `.backplane/manifests/${IDENTIFIER}.json`) };
}

/** Opens the installation for each call, so that each sees what is on disk. */
async function using<T>(root: string, act: (installation: Awaited<ReturnType<typeof open>>) => Promise<T>): Promise<T> {
  const installation = await open(root);
  try {
    return await act(installation);
  } finally {
    await installation.close();
  }
}

const listed = (root: string) =>
  using(root, async (installation) =>
    (await installation.list()).map(({ package: { identifier }, current_version, pinned }) => [
      identifier,
      current_version,
      pinned,
    ]),
  );

describe("a list of packages that the design tool keeps elsewhere", () => {
  it("is read as KiCad wrote it, and what KiCad installed can be uninstalled", async (t) => {
    const { root, state } = await newRoot(t, [KICAD_INSTALLED]);
    const { identifier } = KICAD_INSTALLED.package;
    await put(root, "footprints/org_example_demo-library/Demo.pretty/R.kicad_mod", "R");
    assert.deepEqual(await listed(root), [[identifier, "1.0.0", false]]);
    const [verified] = await using(root, (installation) => installation.verify());
    assert.deepEqual([verified?.manifest, verified?.missing], ["unknown", []]);
    await using(root, (installation) => installation.apply({ kind: "uninstall", identifier }));
    assert.deepEqual(JSON.parse(readFileSync(state, "utf8")), { packages: [] });
    assert.ok(!existsSync(join(root, "footprints/org_example_demo-library")));
    assert.ok(!existsSync(join(root, "installed_packages.json")));
  });

  it("gets our entries in KiCad's format, next to KiCad's own", async (t) => {
    const { folder, root, state } = await newRoot(t, [KICAD_INSTALLED]);
    await using(root, async (one) => one.apply(await installOf(folder, { version: "1.0", files: FILES })));
    const text = readFileSync(state, "utf8");
    assert.ok(text.startsWith('{\n    "packages": [\n        {\n            "'));
    const { packages } = JSON.parse(text);
    assert.deepEqual(packages[0], KICAD_INSTALLED);
    for (const key of Object.keys(KICAD_INSTALLED)) assert.ok(key in packages[1], key);
    const [version] = packages[1].package.versions;
    assert.deepEqual([typeof version.kicad_version, version.tool_version], ["string", undefined]);
    closeKicad(state);
    assert.deepEqual(await listed(root), [
      [KICAD_INSTALLED.package.identifier, "1.0.0", false],
      [IDENTIFIER, "1.0", false],
    ]);
  });

  it("may be on another file system", async (t) => {
    const folder = await newFolder(t);
    const settings = await mkdtemp(join(tmpdir(), "settings-"));
    t.after(() => rm(settings, { recursive: true, force: true }));
    const stateFile = join(settings, "installed_packages.json");
    const rename: typeof realDisk.rename = async (from, to) => {
      const isAcross = [from, to].filter((path) => path.startsWith(settings)).length === 1;
      if (isAcross) throw Object.assign(new Error("EXDEV"), { code: "EXDEV", syscall: "rename" });
      await realDisk.rename(from, to);
    };
    const installation = await open(join(folder, "root"), { stateFile, disk: { ...realDisk, rename } });
    await installation.apply(await installOf(folder, { version: "1.0", files: FILES }));
    await installation.setPinned(IDENTIFIER, true);
    assert.equal(JSON.parse(readFileSync(stateFile, "utf8")).packages[0].pinned, true);
    await installation.apply({ kind: "uninstall", identifier: IDENTIFIER });
    await installation.close();
    assert.deepEqual(snapshot(settings), { "installed_packages.json": '{\n    "packages": []\n}\n' });
  });

  it("takes over the list that was in the root before the tool was first started, once", async (t) => {
    const folder = await newFolder(t);
    const root = join(folder, "root");
    await using(root, async (one) => {
      await one.apply(await installOf(folder, { version: "1.0", files: FILES, keep: KEEP }));
      await one.apply(await installOf(folder, { identifier: "org.example.gone", version: "1.0", files: FILES }));
      await one.setPinned(IDENTIFIER, true);
    });
    await rm(join(root, "plugins/org_example_gone"), { recursive: true });
    await mkdir(settingsOf(root));
    await writeFile(stateOf(root), kicadText([KICAD_INSTALLED, kicadFound(IDENTIFIER)]));
    const expected = [
      [KICAD_INSTALLED.package.identifier, "1.0.0", false],
      [IDENTIFIER, "1.0", true],
    ];
    assert.deepEqual(await listed(root), expected);
    const [, verified] = await using(root, (installation) => installation.verify());
    assert.equal(verified?.manifest, "known");
    uninstallInKicad(root, stateOf(root), IDENTIFIER);
    assert.deepEqual(await listed(root), expected.slice(0, 1));
    assert.ok(!existsSync(join(root, "installed_packages.json")));
  });
});

describe("what KiCad 6 drops when it writes the list", () => {
  it("is not lost: the pin stays, kept files are neither reported as altered nor replaced", async (t) => {
    const { folder, root, state } = await newRoot(t);
    const one = await installOf(folder, { version: "1.0", files: FILES, versionKeep: KEEP });
    await using(root, async (installation) => {
      await installation.apply(one);
      await installation.setPinned(IDENTIFIER, true);
    });
    await put(root, SETTINGS, "mine");
    closeKicad(state);
    assert.doesNotMatch(readFileSync(state, "utf8"), /pinned|keep_on_update/);
    assert.deepEqual(await listed(root), [[IDENTIFIER, "1.0", true]]);
    await using(root, async (installation) => {
      const [verified] = await installation.verify();
      assert.deepEqual([verified?.altered, verified?.kept], [[], [SETTINGS]]);
      await put(root, `plugins/${FOLDER}/main.py`, "altered");
      const repaired = await installation.repair(IDENTIFIER, one.archive);
      assert.deepEqual([repaired.replaced, repaired.kept], [[`plugins/${FOLDER}/main.py`], [SETTINGS]]);
      await installation.apply(await installOf(folder, { version: "2.0", files: FILES, keep: KEEP }));
    });
    assert.equal(snapshot(root)[SETTINGS], "mine");
    closeKicad(state);
    assert.deepEqual(await listed(root), [[IDENTIFIER, "2.0", true]]);
    await using(root, (installation) => installation.setPinned(IDENTIFIER, false));
    closeKicad(state);
    assert.deepEqual(await listed(root), [[IDENTIFIER, "2.0", false]]);
  });

  it("is also remembered for packages that KiCad installed, when they are pinned here", async (t) => {
    const { root, state } = await newRoot(t, [KICAD_INSTALLED]);
    const { identifier } = KICAD_INSTALLED.package;
    await using(root, (installation) => installation.setPinned(identifier, true));
    closeKicad(state);
    assert.deepEqual(await listed(root), [[identifier, "1.0.0", true]]);
    assert.equal(await using(root, (installation) => installation.manifestOf(identifier)), undefined);
  });

  it("does not count where the list itself has a value: newer clients write pins", async (t) => {
    const { folder, root, state } = await newRoot(t);
    await using(root, async (installation) => {
      await installation.apply(await installOf(folder, { version: "1.0", files: FILES }));
      await installation.setPinned(IDENTIFIER, true);
    });
    await writeFile(state, readFileSync(state, "utf8").replace('"pinned": true', '"pinned": false'));
    assert.deepEqual(await listed(root), [[IDENTIFIER, "1.0", false]]);
  });

  it("is forgotten when KiCad uninstalled the package, and does not come back with it", async (t) => {
    const { folder, root, state, remembered } = await newRoot(t);
    await using(root, async (installation) => {
      await installation.apply(await installOf(folder, { version: "1.0", files: FILES, keep: KEEP }));
      await installation.setPinned(IDENTIFIER, true);
    });
    const before = readFileSync(state, "utf8");
    uninstallInKicad(root, state, IDENTIFIER);
    assert.deepEqual(await listed(root), []);
    assert.ok(!existsSync(remembered));
    await writeFile(state, before);
    closeKicad(state);
    await put(root, `plugins/${FOLDER}/main.py`, "one");
    assert.deepEqual(await listed(root), [[IDENTIFIER, "1.0", false]]);
    const [verified] = await using(root, (installation) => installation.verify());
    assert.equal(verified?.manifest, "unknown");
  });

  it("is forgotten when KiCad updated the package", async (t) => {
    const { folder, root, state, remembered } = await newRoot(t);
    await using(root, async (installation) => {
      await installation.apply(await installOf(folder, { version: "1.0", files: FILES, keep: KEEP }));
      await installation.setPinned(IDENTIFIER, true);
    });
    closeKicad(state, (entries) => entries.map((entry) => ({ ...entry, current_version: "1.1" })));
    assert.deepEqual(await listed(root), [[IDENTIFIER, "1.1", false]]);
    assert.ok(!existsSync(remembered));
  });

  it("is kept while the list is missing or cannot be read", async (t) => {
    const { folder, root, state, remembered } = await newRoot(t);
    await using(root, async (one) => one.apply(await installOf(folder, { version: "1.0", files: FILES })));
    await writeFile(state, "{");
    await using(root, async () => undefined);
    await rm(state);
    await using(root, async () => undefined);
    assert.ok(existsSync(remembered));
  });
});

describe("a folder that KiCad found but does not know", () => {
  it("is listed, and skipped by verify with a note", async (t) => {
    const { root } = await newRoot(t, [kicadFound(IDENTIFIER)]);
    assert.deepEqual(await listed(root), [[IDENTIFIER, "0.0", false]]);
    const [verified] = await using(root, (installation) => installation.verify());
    assert.deepEqual([verified?.missing, verified?.manifest], [[], "unknown"]);
    assert.match(verified?.note ?? "", /does not know/);
  });

  for (const identifier of [IDENTIFIER, "org.example_sample"]) {
    it(`is taken over by an install of ${identifier}`, async (t) => {
      const { folder, root } = await newRoot(t, [kicadFound(IDENTIFIER), KICAD_INSTALLED]);
      await put(root, `plugins/${FOLDER}/old.py`, "old");
      const change = await installOf(folder, { identifier, version: "1.0", files: FILES });
      const { deleted } = await using(root, (installation) => installation.apply(change));
      assert.deepEqual(deleted, [`plugins/${FOLDER}/old.py`]);
      const both = [identifier, KICAD_INSTALLED.package.identifier];
      assert.deepEqual((await listed(root)).map(([each]) => each).sort(), both.sort());
      const verified = await using(root, (installation) => installation.verify(identifier));
      assert.deepEqual([verified[0]?.manifest, verified[0]?.altered], ["known", []]);
    });
  }
});

it("nothing but the list itself is left in the tool's settings", async (t) => {
  const { folder, root, state } = await newRoot(t, [KICAD_INSTALLED]);
  await writeFile(`${state}.backplane-new`, "half");
  await using(root, async (one) => one.apply(await installOf(folder, { version: "1.0", files: FILES })));
  assert.deepEqual(Object.keys(snapshot(dirname(state))), ["installed_packages.json"]);
});
