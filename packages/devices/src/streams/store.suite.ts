import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { type Database, migrate } from "@backplane/kit/database";
import { migrations } from "../migrations.ts";
import type { DevicesTables } from "../tables.ts";
import { createStreamStore } from "./store.ts";

const camera = (name: string) => ({
  ...{ name, kind: "rtsp", settings: { address: "rtsp://192.0.2.4/main", convert: false } },
  secrets: { password: "secret" },
});

/** The streams of workspaces, on a real engine. */
export function testStreamStore(engine: string, openEmpty: (t: TestContext) => Promise<Database<DevicesTables>>): void {
  const open = async (t: TestContext) => {
    const database = await openEmpty(t);
    await migrate(database as Database<unknown>, migrations, () => 1);
    return createStreamStore(database);
  };

  test(`${engine}: streams are added, found, changed and removed, each in its workspace`, async (t) => {
    const store = await open(t);
    assert.equal(await store.add("w1", camera("b"), 1), "added");
    assert.equal(await store.add("w1", camera("a"), 1), "added");
    assert.equal(await store.add("w1", camera("a"), 1), "name-taken");
    assert.equal(await store.add("w2", camera("a"), 1), "added");
    assert.deepEqual(
      (await store.list("w1")).map(({ name }) => name),
      ["a", "b"],
    );
    assert.deepEqual(await store.find("w1", "a"), camera("a"));
    const changed = { ...camera("a"), settings: { address: "rtsp://192.0.2.5/", convert: true }, secrets: {} };
    assert.deepEqual([await store.change("w1", changed), await store.find("w1", "a")], [true, changed]);
    assert.deepEqual(await store.find("w2", "a"), camera("a"));
    assert.equal(await store.change("w1", camera("z")), false);
    assert.deepEqual([await store.remove("w1", "a"), await store.remove("w1", "a")], [true, false]);
    await store.removeOf("w1");
    assert.deepEqual([await store.list("w1"), (await store.list("w2")).length], [[], 1]);
  });

  test(`${engine}: of many that are added at once, as many are as a workspace can have`, async (t) => {
    const store = await open(t);
    const names = Array.from({ length: DEVICES_LIMITS.maxStreams + 8 }, (_, i) => `camera-${i}`);
    const added = await Promise.all(names.map((name) => store.add("w1", camera(name), 1)));
    assert.equal(added.filter((one) => one === "added").length, DEVICES_LIMITS.maxStreams);
    assert.equal(added.filter((one) => one === "too-many").length, 8);
    assert.equal((await store.list("w1")).length, DEVICES_LIMITS.maxStreams);
  });
}
