import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleArchive } from "../../archives/samples.suite.ts";
import { sweepOrphans } from "./kept-uploads.ts";
import { unpublishVersion } from "./listing.ts";
import {
  looking,
  type OpenTestDatabase,
  openTables,
  problemOf,
  startInstance,
  startOne,
} from "./registry-under-test.suite.ts";
import { readTotals, readUsage } from "./usage.ts";

const AT_ONCE = 8;
const ADDRESS = "org.example.sample/versions/1.0";
const REASON = { reason: "It contained a private key." };

/** DELETE …/versions/{version}: the bytes go, the number stays. */
export function testUnpublish(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: an unpublished version has no bytes left, and its number stays reserved`, async (t) => {
    const site = await startOne(t, open);
    await site.post("ada", sampleArchive({ version: "1.0" }));
    await site.post("ada", sampleArchive({ version: "1.1" }));
    const { archiveBytes } = await readUsage(site.database.durable, "id-ada");
    assert.deepEqual(await readTotals(site.database.shortLived, 3), {
      ...{ archiveBytes, versions: 2, byBytes: [{ ownerId: "id-ada", archiveBytes }] },
      byPackages: [{ ownerId: "id-ada", packages: 1 }],
    });
    const before = await site.state();
    assert.equal((await site.unpublish("ada", ADDRESS, REASON)).status, 204);
    const after = await site.state();
    assert.equal(after.revision, before.revision + 1);
    assert.ok(after.manifests_timestamp > before.manifests_timestamp);
    const [left = "", ...others] = await site.blobKeys();
    assert.deepEqual(others, []);
    assert.match(left, /1\.1/);
    assert.deepEqual(await site.database.durable.selectFrom("registry_uploads").selectAll().execute(), []);
    const usage = await readUsage(site.database.durable, "id-ada");
    assert.deepEqual(
      [usage.versions, usage.archiveBytes < archiveBytes],
      [2, true],
      "it no longer counts for the quota",
    );
    const again = await site.post("ada", sampleArchive({ version: "1.0", files: { "plugins/x": "another" } }));
    assert.deepEqual([again.status, problemOf(again).code], [409, "version-exists"]);
    assert.match(problemOf(again).detail ?? "", /was unpublished, and its number stays reserved/);
  });

  test(`${engine}: of many who unpublish a version at once exactly one does, and its reason is the one that is told`, async (t) => {
    const shared = await openTables(t, open);
    const one = await startInstance(shared);
    const two = await startInstance({ ...shared, database: await shared.connect(), name: "two" });
    await one.post("ada", sampleArchive({ version: "1.0" }), "?owner=lab");
    const reasons = Array.from({ length: AT_ONCE }, (_, n) => `Reason ${n}.`);
    const answers = await Promise.all(
      reasons.map((reason, n) => (n % 2 ? one : two).unpublish(n % 3 ? "ada" : "bob", ADDRESS, { reason })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(AT_ONCE - 1).fill(410)]);
    const winner = reasons[answers.findIndex(({ status }) => status === 204)] ?? "";
    const told = answers.filter(({ status }) => status === 410).map((answer) => problemOf(answer));
    for (const { code, detail } of told) {
      assert.equal(code, "version-unpublished");
      assert.ok(detail?.endsWith(winner), detail);
    }
    const changed = await one.patch("ada", ADDRESS, { status: "deprecated" });
    assert.deepEqual([changed.status, problemOf(changed).code], [410, "version-unpublished"]);
    assert.equal((await looking(shared).state()).revision, 2);
  });

  test(`${engine}: if the process ends before the bytes are gone, the next sweep removes them`, async (t) => {
    const site = await startOne(t, open);
    await site.post("ada", sampleArchive({ version: "1.0" }));
    const number = [0, 1, 0, 0] as const;
    const gone = { identifier_key: "org.example.sample", number, ...REASON, userId: "id-ada", nowMs: site.clock.nowMs };
    assert.equal(await unpublishVersion(site.database, gone), (await site.blobKeys())[0]);
    assert.equal(await unpublishVersion(site.database, gone), undefined);
    const { database, blobs, home, clock } = site;
    await sweepOrphans({ database, blobs, home, nowMs: clock.nowMs, diskNowMs: Date.now() });
    assert.deepEqual(await site.blobKeys(), []);
  });

  test(`${engine}: only the owner can unpublish, with a credential that may publish and with a reason`, async (t) => {
    const site = await startOne(t, open);
    await site.post("ada", sampleArchive({ version: "1.0" }));
    const before = [await site.state(), await site.blobKeys()];
    const codeOf = async (...call: Parameters<typeof site.unpublish>) => {
      const answer = await site.unpublish(...call);
      return `${answer.status} ${problemOf(answer).code}`;
    };
    assert.equal(await codeOf("eve", ADDRESS, REASON), "403 package-not-yours");
    assert.equal(await codeOf("reads-only", ADDRESS, REASON), "403 scope-missing");
    assert.equal(await codeOf("ada", ADDRESS, REASON, { authorization: "" }), "401 not-signed-in");
    assert.equal(await codeOf("ada", ADDRESS, REASON, { "sec-fetch-site": "cross-site" }), "403 foreign-page");
    assert.equal(await codeOf("ada", "org.example.sample/versions/7.0", REASON), "404 version-unknown");
    assert.equal(await codeOf("ada", "org.example.none/versions/1.0", REASON), "404 package-unknown");
    for (const reason of [undefined, "", "x".repeat(501), "two\nlines", "\0"]) {
      assert.equal(await codeOf("ada", ADDRESS, { reason }), "422 invalid-input");
    }
    assert.deepEqual([await site.state(), await site.blobKeys()], before);
  });
}
