import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { CheckedUpload, PublishedVersion } from "@backplane/contract/registry";
import { Problem } from "@backplane/kit/problems";
import { ruleTest } from "../../../../../scripts/testing/rules.ts";
import { sampleArchive, sampleMetadata } from "../../archives/samples.suite.ts";
import { bytesOf } from "../blobs/blob-store.suite.ts";
import { sweepOrphans } from "./kept-uploads.ts";
import { PUBLISHING_LIMITS } from "./options.ts";
import { BASE_URL, type OpenTestDatabase, problemOf, startInstance, startOne } from "./registry-under-test.suite.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Who may publish what, and what is stored. */
export function testPublishing(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  test(`${engine}: sha256, sizes and URL are computed by the server, whatever the archive says`, async (t) => {
    const site = await startOne(t, open);
    const [version] = sampleMetadata({ version: "2.3.0" }).versions as [object];
    const lies = {
      download_sha256: "a".repeat(64),
      download_size: 1,
      install_size: 2,
      download_url: "https://evil.example/x.zip",
    };
    const archive = sampleArchive({ metadata: { versions: [{ ...version, ...lies }] } });
    const { status, headers, body } = await site.post("ada", archive);
    const published = body as PublishedVersion;
    assert.equal(status, 201);
    assert.equal(headers.get("location"), `${BASE_URL}/registry/packages/org.example.sample`);
    const { warnings, install_size, ...rest } = published;
    assert.deepEqual(rest, {
      identifier: "org.example.sample",
      version: "2.3.0",
      version_epoch: 0,
      status: "stable",
      owner: "ada",
      private: false,
      download_url: `${BASE_URL}/registry/archives/org.example.sample/org.example.sample-2.3.0.zip`,
      download_sha256: sha256(archive),
      download_size: archive.length,
    });
    assert.ok(install_size > 2);
    assert.ok(warnings.some(({ rule, level }) => rule === "download-in-archive" && level === "warning"));

    const row = await site.database.durable.selectFrom("registry_versions").selectAll().executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(row.metadata), {
      version: "2.3.0",
      tool_version: "9.0",
      download_sha256: sha256(archive),
      download_size: archive.length,
      install_size,
    });
    assert.equal(row.manifest_sha256, sha256(Buffer.from(row.manifest)));
    assert.equal(row.manifest_size, Buffer.byteLength(row.manifest));
    assert.equal(JSON.parse(row.manifest).files.length, row.file_count);
    assert.deepEqual(await bytesOf(site.blobs, row.blob_key), archive);
    assert.deepEqual(await site.leftUploads(), []);
    assert.equal(site.changes.count, 1);
  });

  rule(`${engine}: a package over its owner's quota is 409, says which setting, and leaves no archive`, async (t) => {
    const site = await startOne(t, open, { quota: { archiveBytes: 1024 ** 2, packages: 1 } });
    assert.equal((await site.post("ada", sampleArchive({}))).status, 201);
    const second = sampleArchive({ metadata: { identifier: "org.example.second" } });
    const { publishable, notes } = (await site.post("ada", second, "?check=true")).body as CheckedUpload;
    assert.deepEqual([publishable, notes.at(-1)?.rule], [false, "quota-reached"]);
    const refused = await site.post("ada", second);
    assert.deepEqual([refused.status, problemOf(refused).code], [409, "quota-reached"]);
    assert.match(problemOf(refused).detail ?? "", /at most 1 packages.*QUOTA_PACKAGES/);
    assert.equal((await site.blobKeys()).length, 1);
    assert.equal((await site.post("bob", second)).status, 201, "the identifier is still free");
  });

  rule(`${engine}: publishing accepts either spelling, and stores the neutral one`, async (t) => {
    const site = await startOne(t, open);
    assert.equal((await site.post("ada", sampleArchive({ brand: "kicad", version: "1.0" }))).status, 201);
    assert.equal((await site.post("ada", sampleArchive({ brand: "tool", version: "1.1" }))).status, 201);
    const rows = await site.database.durable.selectFrom("registry_versions").select("metadata").execute();
    for (const { metadata } of rows) assert.equal(JSON.parse(metadata).tool_version, "9.0");
  });

  rule(`${engine}: the same (identifier, epoch, version) again is 409, also when written differently`, async (t) => {
    const site = await startOne(t, open);
    await site.post("ada", sampleArchive({ version: "2.3.0" }));
    const kept = await site.blobKeys();
    for (const version of ["2.3.0", "2.3"]) {
      const answer = await site.post("ada", sampleArchive({ version, files: { "plugins/x.py": "other" } }));
      assert.equal(answer.status, 409);
      assert.equal(problemOf(answer).code, "version-exists");
      assert.equal(
        problemOf(answer).detail,
        `${version} already exists, and published versions never change. Raise the version.`,
      );
    }
    assert.deepEqual(await site.blobKeys(), kept);
    assert.equal((await site.post("ada", sampleArchive({ version: "2.3.0", epoch: 1 }))).status, 201);
    assert.equal((await site.state()).revision, 2);
  });

  test(`${engine}: a package is described by its latest version, in whatever order versions are published`, async (t) => {
    const site = await startOne(t, open);
    for (const version of ["1.5", "2.0", "1.9"]) {
      const archive = sampleArchive({ version, metadata: { name: `Name of ${version}` }, icon: null });
      assert.equal((await site.post("ada", archive)).status, 201);
    }
    const row = await site.database.durable.selectFrom("registry_packages").selectAll().executeTakeFirstOrThrow();
    const { name, versions } = JSON.parse(row.metadata);
    assert.deepEqual([name, versions, row.icon], ["Name of 2.0", [], null]);
  });

  rule(`${engine}: the first publisher of an identifier owns it`, async (t) => {
    const site = await startOne(t, open);
    await site.post("ada", sampleArchive({ version: "1.0" }));
    const answer = await site.post("eve", sampleArchive({ version: "6.6" }));
    assert.deepEqual([answer.status, problemOf(answer).code], [403, "package-not-yours"]);
    const cased = await site.post("eve", sampleArchive({ identifier: "org.Example.Sample", version: "6.6" }));
    assert.deepEqual([cased.status, problemOf(cased).code], [403, "package-not-yours"]);
    assert.equal((await site.listed()).length, 1);
    assert.equal((await site.blobKeys()).length, 1);
  });

  rule(`${engine}: an identifier keeps its spelling, also for its owner`, async (t) => {
    const site = await startOne(t, open);
    await site.post("ada", sampleArchive({ version: "1.0" }));
    const answer = await site.post("ada", sampleArchive({ identifier: "org.example.SAMPLE", version: "1.1" }));
    assert.deepEqual([answer.status, problemOf(answer).code], [422, "metadata-refused"]);
    assert.deepEqual(problemOf(answer).errors, [
      { pointer: "/identifier", message: "is already listed as org.example.sample. Use that spelling." },
    ]);
  });

  rule(`${engine}: members of an organisation publish in its name, others do not`, async (t) => {
    const site = await startOne(t, open);
    const first = await site.post("ada", sampleArchive({ version: "1.0" }), "?owner=lab");
    assert.deepEqual([first.status, (first.body as PublishedVersion).owner], [201, "lab"]);
    const second = await site.post("bob", sampleArchive({ version: "1.1" }));
    assert.deepEqual([second.status, (second.body as PublishedVersion).owner], [201, "lab"]);
    const outsider = await site.post("eve", sampleArchive({ version: "1.2" }));
    assert.deepEqual([outsider.status, problemOf(outsider).code], [403, "package-not-yours"]);
    for (const owner of ["lab", "ada", "nobody"]) {
      const as = await site.post("eve", sampleArchive({ identifier: "org.example.new" }), `?owner=${owner}`);
      assert.deepEqual([as.status, problemOf(as).code], [403, "owner-only"]);
    }
    const own = await site.post("eve", sampleArchive({ identifier: "org.example.new" }), "?owner=eve");
    assert.equal((own.body as PublishedVersion).owner, "eve");
  });

  rule(`${engine}: a check answers what publishing would, and stores nothing`, async (t) => {
    const site = await startOne(t, open);
    const archive = sampleArchive({ version: "1.0" });
    const { status, body } = await site.post("ada", archive, "?check=true");
    const { notes: _, ...checked } = body as CheckedUpload;
    assert.equal(status, 200);
    assert.deepEqual(checked, {
      publishable: true,
      identifier: "org.example.sample",
      name: "Sample",
      version: "1.0",
      version_epoch: 0,
      download_sha256: sha256(archive),
      download_size: archive.length,
      install_size: checked.install_size,
      file_count: 2,
    });
    const left = async () => [await site.listed(), await site.blobKeys(), await site.leftUploads(), site.changes.count];
    assert.deepEqual(await left(), [[], [], [], 0]);

    await site.post("ada", archive);
    const rulesOf = async (person: string, bytes: Uint8Array) => {
      const answer = (await site.post(person, bytes, "?check=true")).body as CheckedUpload;
      assert.equal(answer.publishable, false);
      return answer.notes.filter(({ level }) => level === "error").map(({ rule }) => rule);
    };
    assert.deepEqual(await rulesOf("ada", archive), ["version-exists"]);
    assert.deepEqual(await rulesOf("eve", archive), ["not-yours"]);
    assert.deepEqual(await rulesOf("ada", sampleArchive({ identifier: "ORG.example.sample" })), ["other-spelling"]);
    assert.deepEqual(await rulesOf("ada", Buffer.from("no zip at all")), ["not-a-zip"]);
    assert.deepEqual(await rulesOf("ada", sampleArchive({ metadata: { versions: [] } })), ["one-version"]);
    assert.ok((await rulesOf("ada", sampleArchive({ metadata: { license: "none" } }))).length > 0);
  });

  rule(`${engine}: a version is published although notifying other instances failed`, async (t) => {
    const site = await startOne(t, open, { changed: () => Promise.reject(new Error("away")) });
    assert.equal((await site.post("ada", sampleArchive())).status, 201);
    assert.equal(site.faults.length, 1);
  });

  rule(`${engine}: while the archive store is down, publishing is 503 and leaves nothing`, async (t) => {
    const site = await startOne(t, open);
    const away = { ...site.blobs, putFile: () => Promise.reject(new Problem("archives-unavailable")) };
    const instance = await startInstance({ ...site, name: "two", blobs: away });
    const answer = await instance.post("ada", sampleArchive());
    assert.deepEqual([answer.status, problemOf(answer).code], [503, "archives-unavailable"]);
    assert.deepEqual([await site.listed(), await instance.leftUploads()], [[], []]);
    assert.equal((await site.post("eve", sampleArchive())).status, 201, "the identifier is free");
  });

  test(`${engine}: an archive whose listing failed is not listed, and is removed later`, async (t) => {
    const site = await startOne(t, open);
    await site.database.durable.schema.alterTable("registry_state").renameTo("away").execute();
    assert.equal((await site.post("ada", sampleArchive())).status, 500);
    await site.database.durable.schema.alterTable("away").renameTo("registry_state").execute();
    assert.deepEqual([await site.listed(), await site.leftUploads()], [[], []]);
    const nowMs = site.clock.nowMs + 2 * PUBLISHING_LIMITS.orphanAfterMs;
    assert.deepEqual(await sweepOrphans({ ...site, nowMs, diskNowMs: Date.now() }), { removed: 1 });
    assert.equal((await site.post("ada", sampleArchive())).status, 201);
  });
}
