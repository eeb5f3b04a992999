import assert from "node:assert/strict";
import { test } from "node:test";
import { type Database, migrate } from "@backplane/kit/database";
import { migrations } from "../migrations.ts";
import { openFreshSqlite } from "../publishing/open-sqlite.suite.ts";
import { NEVER, readChanges } from "./read-changes.ts";

const keyOf = (at: number): string => `org.example.p${String(at).padStart(3, "0")}`;

const packageRow = (at: number) => ({
  ...{ identifier_key: keyOf(at), identifier: keyOf(at), owner_id: "ada", metadata: "{}", icon: null },
  ...{ created_at_ms: 1, updated_at_ms: 1, revision: at },
});

const versionRow = (at: number, major: number) => ({
  ...{ identifier_key: keyOf(at), epoch: 0, major, minor: 0, patch: 0, status: "stable", metadata: "{}" },
  ...{ blob_key: `${at}/${major}`, sha256: "", size: 1, install_size: 1, file_count: 1 },
  ...{ manifest: "{}", manifest_sha256: "", manifest_size: 2, published_by: "ada", published_at_ms: 1, downloads: 0 },
});

test("many packages are read in parts, each once with all its versions; later only those that changed", async (t) => {
  const database = await (await openFreshSqlite(t))();
  await migrate(database as Database<unknown>, migrations, () => 1);
  const all = Array.from({ length: 450 }, (_, at) => at);
  await database.durable.insertInto("registry_packages").values(all.map(packageRow)).execute();
  const versions = all.flatMap((at) => [versionRow(at, 1), versionRow(at, 2)]);
  await database.durable.insertInto("registry_versions").values(versions).execute();

  const read = async (since: number) => {
    const [parts, keys]: [number[], string[]] = [[], []];
    const changes = await readChanges(database, since, (packages, theirs) => {
      parts.push(packages.length);
      keys.push(...packages.map(({ identifier_key }) => identifier_key));
      const named = new Set(packages.map(({ identifier_key }) => identifier_key));
      assert.equal(theirs.length, 2 * packages.length);
      assert.ok(theirs.every(({ identifier_key }) => named.has(identifier_key)));
    });
    return { changes, parts, keys: keys.toSorted() };
  };
  const first = await read(NEVER);
  assert.deepEqual(first.parts, [200, 200, 50]);
  assert.deepEqual(first.keys, all.map(keyOf));
  assert.equal(first.changes.revisions.get(keyOf(449)), 449);
  assert.deepEqual(first.changes.unchanged, { count: 0, revisions: 0 });
  const second = await read(447);
  assert.deepEqual(second.keys, [keyOf(448), keyOf(449)]);
  assert.equal(second.changes.unchanged.count, 448);
});
