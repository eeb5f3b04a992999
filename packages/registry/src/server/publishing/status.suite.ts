import assert from "node:assert/strict";
import { test } from "node:test";
import type { PublishedVersion } from "@backplane/contract/registry";
import { sampleArchive } from "../../archives/samples.suite.ts";
import { type OpenTestDatabase, problemOf, startOne } from "./registry-under-test.suite.ts";

const STATUSES = ["stable", "testing", "development", "deprecated"];

const publishedIn = ({ status, body }: { status: number; body: object }) => ({
  status,
  body: body as PublishedVersion,
});

/** PATCH …/versions/{version} changes only the status. */
export function testStatus(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: every transition between the four is allowed, and each is counted`, async (t) => {
    const site = await startOne(t, open);
    await site.post("ada", sampleArchive({ version: "1.0" }));
    await site.post("ada", sampleArchive({ version: "1.0", epoch: 2, status: "testing" }));
    const before = await site.database.durable.selectFrom("registry_versions").selectAll().execute();
    let { revision } = await site.state();
    for (const from of STATUSES) {
      for (const status of STATUSES) {
        await site.patch("ada", "org.example.sample/versions/1.0", { status: from });
        revision = (await site.state()).revision;
        const { status: code, body } = publishedIn(
          await site.patch("ada", "org.example.sample/versions/1.0.0", { status }),
        );
        assert.deepEqual([code, body.status, body.version, body.version_epoch], [200, status, "1.0", 0]);
        assert.equal((await site.state()).revision, from === status ? revision : revision + 1);
      }
    }
    await site.patch("ada", "org.example.sample/versions/1.0", { status: "stable" });
    const after = await site.database.durable.selectFrom("registry_versions").selectAll().execute();
    const byEpoch = (rows: typeof after) => rows.toSorted((a, b) => a.epoch - b.epoch);
    assert.deepEqual(byEpoch(after), byEpoch(before));
    const epoch = publishedIn(await site.patch("ada", "org.example.sample/versions/2-1.0", { status: "deprecated" }));
    assert.deepEqual([epoch.status, epoch.body.version_epoch, epoch.body.status], [200, 2, "deprecated"]);
    assert.ok(site.changes.count > 16);
  });

  test(`${engine}: only the owner can change a status, with a credential that may publish`, async (t) => {
    const site = await startOne(t, open);
    await site.post("ada", sampleArchive({ version: "1.0" }), "?owner=lab");
    const address = "org.example.sample/versions/1.0";
    const codeOf = async (...call: Parameters<typeof site.patch>) => {
      const answer = await site.patch(...call);
      return `${answer.status} ${problemOf(answer).code}`;
    };
    const change = { status: "deprecated" };
    assert.equal(await codeOf("eve", address, change), "403 package-not-yours");
    assert.equal(await codeOf("reads-only", address, change), "403 scope-missing");
    assert.equal(await codeOf("ada", address, change, { authorization: "" }), "401 not-signed-in");
    assert.equal(await codeOf("ada", address, change, { "sec-fetch-site": "cross-site" }), "403 foreign-page");
    assert.equal((await site.patch("bob", address, change)).status, 200);
  });

  test(`${engine}: an unknown version is 404, an invalid status 422, and nothing is changed`, async (t) => {
    const site = await startOne(t, open);
    await site.post("ada", sampleArchive({ version: "1.0" }));
    const before = await site.state();
    const codeOf = async (path: string, body: unknown) => {
      const answer = await site.patch("ada", path, body);
      return `${answer.status} ${problemOf(answer).code}`;
    };
    for (const identifier of ["org.example.none", "org%00example", "%00", "org_example", "%E2%84%AA"]) {
      assert.equal(await codeOf(`${identifier}/versions/1.0`, { status: "stable" }), "404 package-unknown");
    }
    for (const version of ["1.1", "1-1.0", "1.0.0.0", "latest", "0-1.0"]) {
      assert.equal(await codeOf(`org.example.sample/versions/${version}`, { status: "stable" }), "404 version-unknown");
    }
    for (const body of [{}, { status: "gone" }, { version: "2.0" }, { status: 1 }, []]) {
      assert.equal(await codeOf("org.example.sample/versions/1.0", body), "422 invalid-input");
    }
    assert.deepEqual(await site.state(), before);
  });
}
