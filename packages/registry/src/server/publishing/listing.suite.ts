import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "@backplane/kit/database";
import type { RegistryTables } from "../tables.ts";
import { rememberUpload } from "./kept-uploads.ts";
import { addVersion, changeStatus, type NewVersion } from "./listing.ts";
import { type OpenTestDatabase, openTables } from "./registry-under-test.suite.ts";
import { type RegistryQuota, readUsage } from "./usage.ts";

const NOBODY = async () => false;
const ANYBODY = async () => true;
const AT_ONCE = 8;

function newVersion(identifier: string, ownerId: string, [epoch, major, minor, patch]: number[]): NewVersion {
  const identifier_key = identifier.toLowerCase();
  const text = `${epoch}-${major}.${minor}.${patch}`;
  return {
    package: {
      ...{ identifier_key, identifier, owner_id: ownerId, metadata: text, icon: null },
      ...{ created_at_ms: 1_000, updated_at_ms: 1_000 },
    },
    version: {
      ...{ identifier_key, epoch: epoch ?? 0, major: major ?? 0, minor: minor ?? 0, patch: patch ?? 0 },
      ...{ status: "stable", metadata: "{}", blob_key: `${ownerId} ${identifier} ${text}`, sha256: "", size: 1 },
      ...{ install_size: 1, file_count: 1, manifest: "{}", manifest_sha256: "", manifest_size: 2 },
      ...{ published_by: ownerId, published_at_ms: 1_000, downloads: 0 },
    },
  };
}

/** As publishing does: first the bytes are stored, then they are listed. */
async function add(
  database: Database<RegistryTables>,
  added: NewVersion,
  mayAct: () => Promise<boolean>,
  quota: RegistryQuota = { archiveBytes: 1024 ** 3, packages: 1_000 },
) {
  const { blob_key: blobKey } = added.version;
  await rememberUpload(database, { blobKey, nowMs: 1_000 });
  return addVersion(database, added, mayAct, quota);
}

/** The two transactions that change what is listed. */
export function testListing(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: when many owners list an identifier at once, exactly one gets it, and nothing of the others stays`, async (t) => {
    const { database } = await openTables(t, open);
    const owners = Array.from({ length: AT_ONCE }, (_, n) => `owner-${n}`);
    const outcomes = await Promise.all(
      owners.map((owner, n) => add(database, newVersion("a.b", owner, [0, n, 0, 0]), NOBODY)),
    );
    assert.deepEqual(outcomes.toSorted(), ["added", ...Array(AT_ONCE - 1).fill("not-yours")]);
    const packages = await database.durable.selectFrom("registry_packages").select("owner_id").execute();
    assert.deepEqual(packages, [{ owner_id: owners[outcomes.indexOf("added")] }]);
    const versions = await database.durable.selectFrom("registry_versions").select("published_by").execute();
    assert.deepEqual(versions, [{ published_by: owners[outcomes.indexOf("added")] }]);
    const { revision } = await database.durable.selectFrom("registry_state").selectAll().executeTakeFirstOrThrow();
    assert.equal(revision, 1);
  });

  test(`${engine}: people who may act for the first owner are accepted`, async (t) => {
    const { database } = await openTables(t, open);
    const outcomes = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) => add(database, newVersion("a.b", `owner-${n}`, [0, n, 0, 0]), ANYBODY)),
    );
    assert.deepEqual(outcomes, Array(AT_ONCE).fill("added"));
  });

  test(`${engine}: no owner has more packages or bytes than the quota, however many publish at once, and nothing of the others stays`, async (t) => {
    const { database } = await openTables(t, open);
    const quota = { archiveBytes: 5, packages: 3 };
    const each = async (versions: NewVersion[]) =>
      (await Promise.all(versions.map((version) => add(database, version, ANYBODY, quota)))).toSorted();
    const many = Array.from({ length: AT_ONCE }, (_, n) => newVersion(`a.b${n}`, "ada", [0, 1, 0, 0]));
    assert.deepEqual(await each(many), [...Array(3).fill("added"), ...Array(AT_ONCE - 3).fill("quota-reached")]);
    const [listed] = await database.durable.selectFrom("registry_packages").select("identifier").execute();
    const more = Array.from({ length: AT_ONCE }, (_, n) => newVersion(listed?.identifier ?? "", "ada", [0, 2, n, 0]));
    assert.deepEqual(await each(more), [...Array(2).fill("added"), ...Array(AT_ONCE - 2).fill("quota-reached")]);
    assert.deepEqual(await readUsage(database.durable, "ada"), { packages: 3, versions: 5, archiveBytes: 5 });
    assert.deepEqual(await readUsage(database.durable, "bob"), { packages: 0, versions: 0, archiveBytes: 0 });
    assert.equal(await add(database, newVersion("c.d", "bob", [0, 1, 0, 0]), ANYBODY, quota), "added", "of his own");
  });

  test(`${engine}: when many list one version at once, exactly one succeeds, in any spelling`, async (t) => {
    const { database } = await openTables(t, open);
    const outcomes = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) =>
        add(database, { ...newVersion("a.b", `owner-${n}`, [0, 1, 0, 0]) }, ANYBODY),
      ),
    );
    assert.deepEqual(outcomes.toSorted(), ["added", ...Array(AT_ONCE - 1).fill("version-exists")]);
    assert.equal(await add(database, newVersion("A.b", "x", [0, 2, 0, 0]), ANYBODY), "other-spelling");
  });

  test(`${engine}: the timestamp differs after every change, also when the clock stops or was set back`, async (t) => {
    const { database } = await openTables(t, open);
    const seen: number[] = [];
    const look = async () => {
      const row = await database.durable.selectFrom("registry_state").selectAll().executeTakeFirstOrThrow();
      seen.push(row.update_timestamp);
    };
    for (let n = 0; n < 3; n += 1) {
      await add(database, newVersion("a.b", "o", [0, n, 0, 0]), ANYBODY);
      await look();
    }
    const number = [0, 1, 0, 0] as const;
    for (const [status, nowMs] of [
      ["testing", 500],
      ["stable", 9_000],
      ["stable", 10_000],
    ] as const) {
      assert.equal(await changeStatus(database, { identifier_key: "a.b", number, status, nowMs }), true);
      await look();
    }
    assert.deepEqual(seen, [1, 2, 3, 4, 9, 9], "an equal value is not a change");
  });

  test(`${engine}: each file's timestamp differs when its bytes do, and only then`, async (t) => {
    const { database } = await openTables(t, open);
    const stamps = async () => {
      const row = await database.durable.selectFrom("registry_state").selectAll().executeTakeFirstOrThrow();
      return [row.update_timestamp, row.resources_timestamp, row.manifests_timestamp];
    };
    const publish = async (number: number[], icon: Uint8Array | null) => {
      const { package: pkg, version } = newVersion("a.b", "o", number);
      assert.equal(await add(database, { package: { ...pkg, icon }, version }, ANYBODY), "added");
      return stamps();
    };
    const [one, two] = [Buffer.from("one"), Buffer.from("two")];
    assert.deepEqual(await publish([0, 1, 0, 0], null), [1, 0, 1], "no icon yet");
    assert.deepEqual(await publish([0, 2, 0, 0], one), [2, 2, 2]);
    assert.deepEqual(await publish([0, 3, 0, 0], one), [3, 2, 3], "the same icon");
    assert.deepEqual(await publish([0, 1, 5, 0], two), [4, 2, 4], "an older version changes no icon");
    await changeStatus(database, { identifier_key: "a.b", number: [0, 3, 0, 0], status: "testing", nowMs: 1 });
    assert.deepEqual(await stamps(), [5, 2, 4], "a status is in no manifest");
    assert.deepEqual(await publish([0, 4, 0, 0], two), [6, 6, 6]);
    assert.deepEqual(await publish([0, 5, 0, 0], null), [7, 7, 7]);
  });
}
