import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Database } from "@backplane/kit/database";
import type { DevicesTables } from "../tables.ts";
import { createKeys, type MadeKey } from "./keys.ts";
import { withTemporaryKeys } from "./temporary-keys.ts";

/** The keys of devices, on a real engine. */
export function testKeys(engine: string, open: (t: TestContext) => Promise<Database<DevicesTables>>): void {
  test(`${engine}: a key is found by itself only; its hash is stored, and it is gone when it is removed`, async (t) => {
    const database = await open(t);
    const keys = createKeys(database);
    assert.equal(await keys.exist(), false);
    const { key, row } = (await keys.make("w1", { name: "IMU", device: "imu-1" }, 1_000)) as MadeKey;
    assert.deepEqual(await keys.find(key), row);
    assert.equal(await keys.find(`${key.slice(0, -1)}_`), undefined);
    assert.ok(
      !JSON.stringify(await database.durable.selectFrom("devices_keys").selectAll().execute()).includes(key.slice(4)),
    );
    await keys.seen(row.id, 2_000);
    assert.deepEqual(await keys.list("w1"), [{ ...row, last_seen_at_ms: 2_000 }]);
    assert.deepEqual(
      [await keys.list("w2"), await keys.remove("w2", row.id), await keys.has(row.id)],
      [[], false, true],
    );
    assert.deepEqual(
      [await keys.remove("w1", row.id), await keys.find(key), await keys.has(row.id)],
      [true, undefined, false],
    );
  });

  test(`${engine}: stored keys and those of simulators are there until they are removed`, async (t) => {
    const { keys, temporary } = withTemporaryKeys(createKeys(await open(t)));
    const simulated = temporary.make("w1", "sim-1", 1).row.id;
    assert.deepEqual(await keys.there([simulated]), new Set([simulated]));
    const stored = ((await keys.make("w1", { name: "IMU" }, 1)) as MadeKey).row.id;
    assert.deepEqual(await keys.there([stored, simulated, "gone"]), new Set([stored, simulated]));
    temporary.remove(simulated);
    await keys.remove("w1", stored);
    assert.deepEqual(await keys.there([stored, simulated]), new Set());
  });

  test(`${engine}: of keys that become the key of one device at once, exactly one does`, async (t) => {
    const keys = createKeys(await open(t));
    const made = await Promise.all(["a", "b", "c"].map((name) => keys.make("w1", { name }, 1)));
    const bound = await Promise.all(made.map((one) => keys.bind((one as MadeKey).row.id, "m1")));
    assert.equal(bound.filter(Boolean).length, 1);
    assert.equal(await keys.make("w1", { name: "d", device: "m1" }, 1), "device-taken");
    const [id] = made.flatMap((one, index) => (bound[index] ? [(one as MadeKey).row.id] : []));
    assert.deepEqual([await keys.bind(id as string, "m1"), await keys.bind(id as string, "m2")], [true, false]);
    await keys.removeOf("w1");
    assert.deepEqual(await keys.list("w1"), []);
  });

  test(`${engine}: a workspace has at most ${DEVICES_LIMITS.maxKeys} keys, however many are made at once`, async (t) => {
    const database = await open(t);
    const keys = createKeys(database);
    const { row } = (await keys.make("w1", { name: "one" }, 1)) as MadeKey;
    const many = Array.from({ length: DEVICES_LIMITS.maxKeys - 3 }, (_, n) => ({
      ...row,
      id: `${n}`,
      key_hash: `${n}`,
    }));
    await database.durable.insertInto("devices_keys").values(many).execute();
    const made = await Promise.all(Array.from({ length: 8 }, () => keys.make("w1", { name: "more" }, 1)));
    assert.equal(made.filter((one) => one === "too-many").length, 6);
  });
}
