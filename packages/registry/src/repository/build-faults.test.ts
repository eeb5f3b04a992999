import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, test } from "node:test";
import { hostileArchives } from "../archives/hostile.suite.ts";
import { sampleArchive, sampleMetadata } from "../archives/samples.suite.ts";
import type { Note } from "../metadata/read.ts";
import { assertConsistent } from "./consistent.suite.ts";
import { SHA256, sampleVersion } from "./samples.suite.ts";
import { Workspace } from "./workspace.suite.ts";

async function faultsOf(workspace: Workspace, options = {}): Promise<Note[]> {
  const result = await workspace.build(options);
  assert.ok("faults" in result, "it was built");
  return result.faults;
}

/** Rules by the name of the file below the input. */
const byFile = (workspace: Workspace, faults: readonly Note[]) =>
  faults.map(({ path = "", rule }) => `${relative(workspace.input, path)} ${rule}`);

describe("faults", () => {
  test("all of them are reported at once, each with its file's name, and nothing is written", async () => {
    using workspace = new Workspace();
    workspace.put("good.zip", sampleArchive());
    workspace.put("broken.zip", "no archive");
    workspace.put("wrong.zip", sampleArchive({ metadata: { license: "gpl-3.0" } }));
    workspace.put("two.zip", sampleArchive({ metadata: { versions: [sampleVersion("1"), sampleVersion("2")] } }));
    workspace.put("bad.json", "{ no json");
    workspace.put("else.json", sampleMetadata({ identifier: "org.else" }));
    const faults = await faultsOf(workspace);
    assert.deepEqual(byFile(workspace, faults), [
      "bad.json json",
      "broken.zip not-a-zip",
      "else.json download-url-missing",
      "two.zip one-version",
      "wrong.zip schema",
    ]);
    assert.ok(faults.every(({ level, message }) => level === "error" && message.length > 0));
    const wrong = faults.find(({ path = "" }) => path.endsWith("wrong.zip"));
    assert.deepEqual([wrong?.pointer, wrong?.fix], ["/license", "GPL-3.0"]);
    assert.ok(!existsSync(join(workspace.out, "repository.json")));
  });

  test("the previous build stays unchanged when something is faulty", async () => {
    using workspace = new Workspace();
    workspace.put("good.zip", sampleArchive());
    await workspace.built();
    const before = workspace.files();
    workspace.put("good.zip", sampleArchive({ version: "2.0" }));
    workspace.put("broken.zip", "no archive");
    await faultsOf(workspace);
    assert.deepEqual(workspace.files(), before);
  });

  test("with skipFaulty the valid part is built, and the notes say what was left out", async () => {
    using workspace = new Workspace();
    workspace.put("good.zip", sampleArchive());
    workspace.put("broken.zip", "no archive");
    const { packages, notes } = await workspace.built({ skipFaulty: true });
    assert.equal(packages, 1);
    assert.deepEqual(
      byFile(
        workspace,
        notes.filter(({ level }) => level === "error"),
      ),
      ["broken.zip not-a-zip"],
    );
    assertConsistent(workspace.out);
  });

  test("every hostile archive is refused, naming the reason", async () => {
    using workspace = new Workspace();
    const hostile = hostileArchives();
    for (const [index, { bytes }] of hostile.entries()) workspace.put(`${String(index).padStart(3, "0")}.zip`, bytes);
    const faults = await faultsOf(workspace);
    assert.deepEqual(
      faults.map(({ rule }) => rule),
      hostile.map(({ reason }) => reason),
    );
  });

  test("a path that does not exist, or is not a package, is a fault", async () => {
    using workspace = new Workspace();
    const text = workspace.put("a.txt", "text");
    const faults = await faultsOf(workspace, { from: [join(workspace.input, "none"), text] });
    assert.deepEqual(byFile(workspace, faults), ["a.txt not-a-package", "none not-found"]);
  });

  test("a name that is too long for repository.json is a fault", async () => {
    using workspace = new Workspace();
    const [fault] = await faultsOf(workspace, { name: "n".repeat(501) });
    assert.equal(fault?.rule, "repository-invalid");
    await assert.rejects(workspace.build({ brand: "No Brand" }), RangeError);
  });

  test("an invalid address is a fault", async () => {
    using workspace = new Workspace();
    workspace.put("a.zip", sampleArchive());
    const [fault] = await faultsOf(workspace, { baseUrl: "example.org" });
    assert.equal(fault?.rule, "base-url");
  });
});

describe("the same version twice", () => {
  test("with different bytes it is a fault of both, and each names the other", async () => {
    using workspace = new Workspace();
    workspace.put("a.zip", sampleArchive({ version: "1.2" }));
    workspace.put("b.zip", sampleArchive({ version: "1.2.0" }));
    workspace.put("c.zip", sampleArchive({ version: "1.3" }));
    const faults = await faultsOf(workspace);
    assert.deepEqual(byFile(workspace, faults), ["a.zip duplicate-version", "b.zip duplicate-version"]);
    assert.match(faults[0]?.message ?? "", /b\.zip/);
    assert.equal((await workspace.built({ skipFaulty: true })).versions, 1);
  });

  test("with the same bytes it is one version", async () => {
    using workspace = new Workspace();
    workspace.put("a.zip", sampleArchive());
    workspace.put("b.zip", sampleArchive());
    assert.equal((await workspace.built()).versions, 1);
  });

  test("with another epoch it is another version", async () => {
    using workspace = new Workspace();
    workspace.put("a.zip", sampleArchive());
    workspace.put("b.zip", sampleArchive({ epoch: 1 }));
    assert.equal((await workspace.built()).versions, 2);
    assertConsistent(workspace.out);
  });

  test("in two metadata files that disagree it is a fault", async () => {
    using workspace = new Workspace();
    const metadata = (status: string) => ({ ...sampleMetadata(), versions: [{ ...sampleVersion("1.0"), status }] });
    workspace.put("a.json", metadata("stable"));
    workspace.put("b.json", metadata("testing"));
    assert.deepEqual(byFile(workspace, await faultsOf(workspace)), [
      "a.json duplicate-version",
      "b.json duplicate-version",
    ]);
  });

  test("metadata that names another hash than the archive has is a fault", async () => {
    using workspace = new Workspace();
    workspace.put("a.zip", sampleArchive({ version: "1.0" }));
    workspace.put("a.json", { ...sampleMetadata(), versions: [sampleVersion("1.0", { download_sha256: SHA256 })] });
    assert.deepEqual(byFile(workspace, await faultsOf(workspace)), ["a.json hash-mismatch", "a.zip hash-mismatch"]);
  });

  test("identifiers that differ only in case are a fault: some file systems cannot tell them apart", async () => {
    using workspace = new Workspace();
    workspace.put("a.zip", sampleArchive({ identifier: "org.example.A" }));
    workspace.put("b.zip", sampleArchive({ identifier: "org.example.a", version: "2.0" }));
    assert.deepEqual(byFile(workspace, await faultsOf(workspace)), ["a.zip identifier-case", "b.zip identifier-case"]);
  });
});
