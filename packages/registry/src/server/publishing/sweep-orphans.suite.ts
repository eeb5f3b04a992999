import assert from "node:assert/strict";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ruleTest } from "../../../../../scripts/testing/rules.ts";
import { sampleArchive } from "../../archives/samples.suite.ts";
import { rememberUpload, sweepOrphans } from "./kept-uploads.ts";
import { PUBLISHING_LIMITS } from "./options.ts";
import { uploadsFolder } from "./receive-upload.ts";
import { type OpenTestDatabase, problemOf, startInstance, startOne } from "./registry-under-test.suite.ts";

/** Orphans are removed when they are old; listed archives stay. */
export function testSweep(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  test(`${engine}: archives that were stored but never listed are removed after an hour, and nothing else is`, async (t) => {
    const site = await startOne(t, open);
    for (let n = 0; n < 3; n += 1) await site.post("ada", sampleArchive({ version: `1.${n}` }));
    const listed = await site.blobKeys();
    for (let n = 0; n < 5; n += 1) {
      const blobKey = `archives/orphan/${n}.zip`;
      await rememberUpload(site.database, { blobKey, nowMs: site.clock.nowMs });
      // A killed process may have stored it or not.
      if (n > 0) await site.blobs.put(blobKey, Buffer.from("x"));
    }
    await site.blobs.put("indexes/abc", Buffer.from("somebody else's"));

    const sweep = (nowMs: number) => sweepOrphans({ ...site, nowMs, diskNowMs: Date.now() });
    assert.deepEqual(await sweep(site.clock.nowMs + PUBLISHING_LIMITS.orphanAfterMs), { removed: 0 });
    const later = site.clock.nowMs + PUBLISHING_LIMITS.orphanAfterMs + 1;
    assert.deepEqual([await sweep(later), await sweep(later)], [{ removed: 5 }, { removed: 0 }]);
    assert.deepEqual(await site.blobKeys(), [...listed, "indexes/abc"]);
  });

  test(`${engine}: with older or empty tables, no archive is lost`, async (t) => {
    const site = await startOne(t, open);
    await site.post("ada", sampleArchive());
    const listed = await site.blobKeys();
    await site.database.durable.deleteFrom("registry_packages").execute();
    const nowMs = Date.now() + 365 * 24 * 3_600_000;
    assert.deepEqual(await sweepOrphans({ ...site, nowMs, diskNowMs: nowMs }), { removed: 0 });
    assert.deepEqual(await site.blobKeys(), listed);
  });

  test(`${engine}: an archive that was given up during publishing is not listed without its bytes`, async (t) => {
    const site = await startOne(t, open);
    const sweep = () => sweepOrphans({ ...site, nowMs: site.clock.nowMs * 2, diskNowMs: Date.now() });
    const putFile: typeof site.blobs.putFile = async (key, file) => {
      await site.blobs.putFile(key, file);
      assert.deepEqual(await sweep(), { removed: 1 });
    };
    const slow = await startInstance({ ...site, name: "two", blobs: { ...site.blobs, putFile } });
    const answer = await slow.post("ada", sampleArchive());
    assert.deepEqual([answer.status, problemOf(answer).code], [503, "archives-unavailable"]);
    assert.deepEqual([await site.listed(), await site.blobKeys()], [[], []]);
    assert.equal((await site.post("ada", sampleArchive())).status, 201);
  });

  rule(`${engine}: abandoned uploads are removed, those in progress stay`, async (t) => {
    const site = await startOne(t, open);
    const folder = uploadsFolder(site.home);
    const nowMs = { nowMs: site.clock.nowMs, diskNowMs: Date.now() };
    for (const name of ["old.upload", "new.upload", "old.txt"]) await writeFile(join(folder, name), name);
    for (const name of ["old.upload", "old.txt"]) await utimes(join(folder, name), 1, 1);
    assert.deepEqual(await sweepOrphans({ ...site, ...nowMs }), { removed: 1 });
    assert.deepEqual((await site.leftUploads()).sort(), ["new.upload", "old.txt"]);
    assert.equal(await readFile(join(folder, "new.upload"), "utf8"), "new.upload");
    await assert.doesNotReject(sweepOrphans({ ...site, home: "/no/such/home", ...nowMs }));
  });
}
