import assert from "node:assert/strict";
import { test } from "node:test";
import type { PublishedVersion } from "@backplane/contract/registry";
import { trials } from "../../../../../scripts/testing/long.ts";
import { triesRules } from "../../../../../scripts/testing/rules.ts";
import { sampleArchive } from "../../archives/samples.suite.ts";
import { bytesOf } from "../blobs/blob-store.suite.ts";
import { looking, type OpenTestDatabase, openTables, problemOf, startInstance } from "./registry-under-test.suite.ts";

const ROUNDS = trials(25);
const OWNER_ROUNDS = trials(15);

/** Several publishers at once, through one instance and through two on the same tables. */
export function testRaces(engine: string, open: OpenTestDatabase): void {
  // On PostgreSQL two instances race as one does, over more connections.
  for (const instances of triesRules(engine) ? [1, 2] : [2]) {
    const where = `${engine}, ${instances === 1 ? "one instance" : "two instances"}`;
    const start = async (t: Parameters<OpenTestDatabase>[0]) => {
      const shared = await openTables(t, open);
      const one = await startInstance(shared);
      const two = await startInstance({ ...shared, database: await shared.connect(), name: "two" });
      return { ...shared, ...looking(shared), one, two: instances === 1 ? one : two };
    };

    test(`${where}: two publishers of one version at once: one 201, one 409`, async (t) => {
      const { one, two, listed, blobKeys, blobs, database, state } = await start(t);
      for (let round = 0; round < ROUNDS; round += 1) {
        const version = `1.${round}`;
        const archives = ["first", "second"].map((text) => sampleArchive({ version, files: { "plugins/x": text } }));
        const answers = await Promise.all(archives.map((bytes, n) => (n === 0 ? one : two).post("ada", bytes)));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409], version);
        const winner = answers.findIndex(({ status }) => status === 201);
        const row = await database.durable
          .selectFrom("registry_versions")
          .select(["blob_key", "sha256"])
          .where("minor", "=", round)
          .executeTakeFirstOrThrow();
        assert.equal(row.sha256, (answers[winner]?.body as PublishedVersion | undefined)?.download_sha256);
        assert.deepEqual(await bytesOf(blobs, row.blob_key), archives[winner]);
      }
      assert.equal((await listed()).length, ROUNDS);
      assert.equal((await blobKeys()).length, ROUNDS, "the loser's bytes are gone");
      assert.equal((await state()).revision, ROUNDS);
    });

    test(`${where}: of many first publishers of one identifier exactly one owns it`, async (t) => {
      const { one, two, listed, database } = await start(t);
      for (let round = 0; round < OWNER_ROUNDS; round += 1) {
        const identifier = `org.example.round-${round}`;
        const people = ["ada", "bob", "eve", "kim"];
        const answers = await Promise.all(
          people.map((person, n) => {
            const spelt = n % 2 ? identifier : identifier.replace("example", "Example");
            return (n % 2 ? one : two).post(person, sampleArchive({ identifier: spelt, version: `${n}.0` }));
          }),
        );
        assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403, 403, 403]);
        const row = await database.durable
          .selectFrom("registry_packages")
          .select("owner_id")
          .where("identifier_key", "=", identifier)
          .executeTakeFirstOrThrow();
        assert.equal(row.owner_id, `id-${people[answers.findIndex(({ status }) => status === 201)]}`);
      }
      assert.equal((await listed()).length, OWNER_ROUNDS);
    });

    test(`${where}: two members who publish first for their organisation both succeed`, async (t) => {
      const { one, two } = await start(t);
      for (let round = 0; round < OWNER_ROUNDS; round += 1) {
        const identifier = `org.example.round-${round}`;
        const [ada, bob] = await Promise.all([
          one.post("ada", sampleArchive({ identifier, version: "1.0" }), "?owner=lab"),
          two.post("bob", sampleArchive({ identifier, version: "2.0" }), "?owner=lab"),
        ]);
        assert.deepEqual([ada?.status, bob?.status], [201, 201]);
      }
    });

    test(`${where}: ten publishers of ten versions: all are listed, and each change is counted`, async (t) => {
      const { one, two, listed, state, database } = await start(t);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          (n % 2 ? one : two).post(
            n % 3 ? "ada" : "bob",
            sampleArchive({ version: `1.${n}`, metadata: { name: `N${n}` } }),
            "?owner=lab",
          ),
        ),
      );
      assert.deepEqual(
        answers.map((answer) => problemOf(answer).code),
        Array(10).fill(undefined),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(10).fill(201),
      );
      assert.equal((await listed()).length, 10);
      const { revision, update_timestamp } = await state();
      assert.equal(revision, 10);
      assert.equal(update_timestamp, Math.floor(one.clock.nowMs / 1_000) + 9, "it differs after every change");
      const { metadata } = await database.durable
        .selectFrom("registry_packages")
        .select("metadata")
        .executeTakeFirstOrThrow();
      assert.equal(JSON.parse(metadata).name, "N9");
    });
  }
}
