import assert from "node:assert/strict";
import { test } from "node:test";
import { indexFile } from "../catalogue/index-file.ts";
import type { Snapshot } from "../catalogue/snapshot.ts";
import { createKeptSnapshots } from "./kept-snapshots.ts";

const EMPTY = indexFile("manifests.json", Buffer.alloc(0));

const snapshotOf = (revision: number, bytes: number): Snapshot => {
  const packages = indexFile("packages.json", Buffer.alloc(bytes, revision));
  return {
    ...{ revision, updateTimestamp: 1, issuedAtS: 1, repositories: new Map() },
    files: {
      ...{ packages: new Map([["kicad", { 1: packages, 2: packages }]]), hasResources: false },
      ...{ resources: EMPTY, manifests: EMPTY },
    },
  };
};

test("the files of secret addresses take a limited amount of memory, however many addresses and changes there are", () => {
  const kept = createKeptSnapshots(1_000);
  for (let revision = 1; revision <= 20; revision += 1) {
    for (let address = 0; address < 50; address += 1) {
      kept.add(`address ${address}`, snapshotOf(revision, 300));
      assert.ok(kept.bytes() <= 1_000, `${kept.bytes()} bytes`);
      assert.equal(kept.of(`address ${address}`)[0]?.revision, revision, "what was just made is there");
    }
  }
  assert.deepEqual(kept.of("address 0"), [], "the oldest are dropped");
});

test("an address keeps the three files that were read last, and one that is larger than the limit until the next one", () => {
  const kept = createKeptSnapshots(1_000);
  for (let revision = 1; revision <= 5; revision += 1) kept.add("one", snapshotOf(revision, 300));
  assert.deepEqual(
    kept.of("one").map(({ revision }) => revision),
    [5, 4, 3],
  );
  kept.add("two", snapshotOf(6, 5_000));
  assert.deepEqual([kept.of("one").length, kept.of("two").length, kept.bytes()], [0, 1, 5_000]);
  kept.add("one", snapshotOf(7, 10));
  assert.deepEqual([kept.of("one").length, kept.of("two").length, kept.bytes()], [1, 0, 10]);
});
