import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Package } from "@backplane/contract/registry";
import { sampleArchive, sampleMetadata } from "../archives/samples.suite.ts";
import { newSigningKey } from "../signing/keys.ts";
import { verifyIndex } from "../signing/verify.ts";
import { assertConsistent, identifiersIn } from "./consistent.suite.ts";
import { sampleVersion } from "./samples.suite.ts";
import { NOW_MS, shaOf, Workspace } from "./workspace.suite.ts";

const packagesIn = (workspace: Workspace) => workspace.json("packages.json").packages as Package[];

describe("a repository from a folder", () => {
  test("archives, in folders within folders, become a whole repository", async () => {
    using workspace = new Workspace();
    const bytes = sampleArchive({ identifier: "org.example.a", version: "1.2.0" });
    workspace.put("a.zip", bytes);
    workspace.put("deep/er/b.ZIP", sampleArchive({ identifier: "org.example.b", version: "2.0", epoch: 1 }));
    workspace.put("readme.txt", "not a package");
    workspace.put(".hidden/c.zip", "not looked at");
    const built = await workspace.built();
    assert.deepEqual({ ...built, notes: [] }, { packages: 2, versions: 2, opened: 2, changed: true, notes: [] });
    assert.deepEqual(assertConsistent(workspace.out), ["org.example.a", "org.example.b"]);
    const [first, second] = packagesIn(workspace);
    assert.deepEqual(first?.versions, [
      {
        version: "1.2.0",
        download_url: `https://example.org/packages/archives/org.example.a/1.2.0-${shaOf(bytes).slice(0, 16)}.zip`,
        download_sha256: shaOf(bytes),
        download_size: bytes.length,
        install_size: "print('Hello')\n".length + 70,
        status: "stable",
        tool_version: "9.0",
      },
    ]);
    assert.match(second?.versions[0]?.download_url ?? "", /\/archives\/org\.example\.b\/1-2\.0-[0-9a-f]{16}\.zip$/);
  });

  test("the versions of one package are merged; its description comes from its latest version", async () => {
    using workspace = new Workspace();
    workspace.put("1.zip", sampleArchive({ version: "1.10", metadata: { name: "New" } }));
    workspace.put("2.zip", sampleArchive({ version: "1.9", metadata: { name: "Old" } }));
    await workspace.built();
    const [listed, ...others] = packagesIn(workspace);
    assert.deepEqual(
      [listed?.name, listed?.versions.map(({ version }) => version), others],
      ["New", ["1.10", "1.9"], []],
    );
  });

  test("a brand is written in its own spelling, whichever the archives have", async () => {
    using workspace = new Workspace();
    workspace.put("a.zip", sampleArchive({ identifier: "org.example.a", brand: "kicad" }));
    workspace.put("b.zip", sampleArchive({ identifier: "org.example.b", brand: "tool" }));
    await workspace.built({ brand: "kicad" });
    assert.equal(
      workspace
        .read("packages.json")
        .toString()
        .match(/kicad_version/g)?.length,
      2,
    );
    assert.equal(assertConsistent(workspace.out, undefined, "kicad").length, 2);
  });

  test("packages.json, resources.zip and manifests.json are next to it, with the hashes in repository.json", async () => {
    using workspace = new Workspace();
    workspace.put("a.zip", sampleArchive());
    await workspace.built();
    const repository = workspace.json("repository.json") as Record<string, { sha256: string; size: number }>;
    for (const [part, name] of Object.entries({
      packages: "packages.json",
      resources: "resources.zip",
      manifests: "manifests.json",
    })) {
      assert.equal(shaOf(workspace.read(name)), repository[part]?.sha256);
    }
  });

  test("repository-v2.json lists every package, repository.json what version 1 of the schema can express", async () => {
    using workspace = new Workspace();
    workspace.put("a.zip", sampleArchive({ identifier: "org.a" }));
    await workspace.built();
    const before = workspace.read("packages.json");
    assert.ok(!readdirSync(workspace.out).includes("packages-v2.json"), "both versions have the same list");
    assert.deepEqual(identifiersIn(workspace.out, 2), ["org.a"]);

    const later = { identifier: "org.b", metadata: { license: "GPL-3.0-or-later" } };
    const file = workspace.put("b.zip", sampleArchive(later));
    const { notes } = await workspace.built({ signingKey: newSigningKey() });
    const said = notes.filter(({ rule }) => rule === "needs-v2");
    assert.deepEqual(
      said.map(({ level, pointer, path }) => [level, pointer, path]),
      [["warning", "/license", file]],
    );
    assert.deepEqual(workspace.read("packages.json"), before);
    assert.deepEqual(
      [assertConsistent(workspace.out), identifiersIn(workspace.out, 2)],
      [["org.a"], ["org.a", "org.b"]],
    );
    for (const name of ["repository.json", "repository-v2.json"]) {
      assert.ok("statement" in verifyIndex(workspace.json(name), { brand: "tool", nowS: NOW_MS / 1_000 }), name);
    }

    rmSync(file);
    await workspace.built();
    assert.ok(!readdirSync(workspace.out).includes("packages-v2.json"));
    assert.deepEqual(identifiersIn(workspace.out, 2), ["org.a"]);
  });

  test("without icons there is no resources.zip", async () => {
    using workspace = new Workspace();
    workspace.put("a.zip", sampleArchive({ icon: null }));
    await workspace.built();
    assert.equal(workspace.json("repository.json").resources, undefined);
    assert.ok(!readdirSync(workspace.out).includes("resources.zip"));
  });

  test("an empty folder is an empty repository", async () => {
    using workspace = new Workspace();
    assert.equal((await workspace.built()).packages, 0);
    assert.deepEqual(assertConsistent(workspace.out), []);
  });

  test("archives in the repository's folder are served from there, and built files are not input", async () => {
    using workspace = new Workspace();
    workspace.put("mine/my archive.zip", sampleArchive());
    const inPlace = { out: workspace.input };
    await workspace.built(inPlace);
    const again = await workspace.built(inPlace);
    assert.deepEqual([again.packages, again.changed], [1, false]);
    assert.deepEqual(assertConsistent(workspace.input), ["org.example.sample"]);
    assert.ok(!readdirSync(workspace.input).includes("archives"));
  });

  test("links to files are followed, links to folders are not", async () => {
    using workspace = new Workspace();
    const elsewhere = join(workspace.root, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "a.zip"), sampleArchive());
    symlinkSync(join(elsewhere, "a.zip"), join(workspace.input, "a.zip"));
    symlinkSync(workspace.input, join(workspace.input, "round"));
    assert.equal((await workspace.built()).packages, 1);
  });

  test("progress is reported for every file", async () => {
    using workspace = new Workspace();
    for (const name of ["a", "b", "c"]) workspace.put(`${name}.zip`, sampleArchive({ identifier: `org.${name}` }));
    const result: string[] = [];
    await workspace.built({ onProgress: ({ done, total }) => result.push(`${done}/${total}`) });
    assert.deepEqual(result, ["1/3", "2/3", "3/3"]);
  });
});

describe("metadata files next to archives", () => {
  test("a package that is hosted elsewhere is listed as its metadata says", async () => {
    using workspace = new Workspace();
    const version = sampleVersion("3.0");
    workspace.put("else.json", { ...sampleMetadata({ identifier: "org.else" }), versions: [version] });
    await workspace.built();
    assert.deepEqual(packagesIn(workspace)[0]?.versions, [version]);
  });

  test("a whole packages.json is accepted, in either spelling", async () => {
    using workspace = new Workspace();
    const { tool_version, ...rest } = sampleVersion("3.0");
    const versions = [{ ...rest, kicad_version: tool_version }];
    workspace.put("list.json", {
      packages: ["org.x", "org.y"].map((name) => ({ ...sampleMetadata({ identifier: name }), versions })),
    });
    assert.equal((await workspace.built()).versions, 2);
    assert.equal(packagesIn(workspace)[0]?.versions[0]?.tool_version, "8.0");
  });

  test("it changes the status of a version while its archive stays unchanged", async () => {
    using workspace = new Workspace();
    const bytes = sampleArchive({ version: "1.0.0" });
    workspace.put("a.zip", bytes);
    workspace.put("a.json", sampleMetadata({ version: "1.0.0", status: "deprecated" }));
    await workspace.built();
    const [version] = packagesIn(workspace)[0]?.versions ?? [];
    assert.deepEqual([version?.status, version?.download_sha256], ["deprecated", shaOf(bytes)]);
    assertConsistent(workspace.out);
  });

  test("a package may be marked as delisted", async () => {
    using workspace = new Workspace();
    workspace.put("a.json", { ...sampleMetadata(), versions: [] });
    await workspace.built();
    assert.deepEqual(packagesIn(workspace)[0]?.versions, []);
  });
});

describe("update_timestamp", () => {
  const timestampIn = (workspace: Workspace) =>
    (workspace.json("repository.json").packages as { update_timestamp: number }).update_timestamp;

  test("it is the time of the first build, and stays while nothing changes", async () => {
    using workspace = new Workspace();
    workspace.put("a.zip", sampleArchive());
    await workspace.built();
    assert.equal(timestampIn(workspace), NOW_MS / 1_000);
    const again = await workspace.built({ now: () => NOW_MS + 86_400_000 });
    assert.deepEqual([timestampIn(workspace), again.changed], [NOW_MS / 1_000, false]);
  });

  test("it changes whenever the bytes of packages.json do, also within a second and with a clock that went back", async () => {
    using workspace = new Workspace();
    const seen: number[] = [];
    for (const [index, back] of [0, 0, 5_000].entries()) {
      workspace.put(`${index}.zip`, sampleArchive({ version: `1.${index}` }));
      await workspace.built({ now: () => NOW_MS - back });
      seen.push(timestampIn(workspace));
    }
    assert.deepEqual(seen, [NOW_MS / 1_000, NOW_MS / 1_000 + 1, NOW_MS / 1_000 + 2]);
  });
});
