import assert from "node:assert/strict";
import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { sampleArchive } from "../../archives/samples.suite.ts";
import { PUBLISHING_LIMITS } from "./limits.ts";
import { uploadsFolder } from "./receive-upload.ts";
import { type OpenTestDatabase, startOne } from "./registry-under-test.suite.ts";
import { sweepOrphans } from "./sweep-orphans.ts";

/** What belongs to nothing goes when it is old; what is listed stays. */
export function testSweep(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: archives without a row go when they are older than an hour, and nothing else does`, async (t) => {
    const site = await startOne(t, open);
    for (let n = 0; n < 3; n += 1) await site.post("ada", sampleArchive({ version: `1.${n}` }));
    const listed = await site.blobKeys();
    const orphans = join(site.folder, "blobs/archives/orphan");
    await mkdir(orphans);
    for (let n = 0; n < 450; n += 1) await writeFile(join(orphans, `${n}.zip`), "x");
    await site.blobs.put("indexes/abc", Buffer.from("somebody else's"));

    const sweep = (nowMs: number) => sweepOrphans({ ...site, nowMs });
    assert.deepEqual(await sweep(Date.now()), { removed: 0 });
    assert.deepEqual(await sweep(Date.now() + PUBLISHING_LIMITS.orphanAfterMs + 60_000), { removed: 450 });
    assert.deepEqual(await site.blobKeys(), [...listed, "indexes/abc"]);
  });

  test(`${engine}: uploads that nobody receives any more go, those under way stay`, async (t) => {
    const site = await startOne(t, open);
    const folder = uploadsFolder(site.home);
    for (const name of ["old.upload", "new.upload", "old.txt"]) await writeFile(join(folder, name), name);
    for (const name of ["old.upload", "old.txt"]) await utimes(join(folder, name), 1, 1);
    assert.deepEqual(await sweepOrphans({ ...site, nowMs: Date.now() }), { removed: 1 });
    assert.deepEqual((await site.leftUploads()).sort(), ["new.upload", "old.txt"]);
    assert.equal(await readFile(join(folder, "new.upload"), "utf8"), "new.upload");
    await assert.doesNotReject(sweepOrphans({ ...site, home: "/no/such/home", nowMs: Date.now() }));
  });
}
