import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { Sample } from "@backplane/contract/devices";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { migrations } from "../migrations.ts";
import { createModel } from "../model/model.ts";
import type { DevicesTables } from "../tables.ts";
import { createClock, thermometer } from "../testing/devices.ts";
import { openHistory } from "./history.ts";
import { createHistoryStore } from "./store.ts";

export type Stage = { name: string; prepare?: () => Promise<AsyncDisposable & { url: string }> };

async function historyForTest(t: TestContext, stage: Stage) {
  const clock = createClock();
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const home = mkdtempSync(join(tmpdir(), "history-"));
  const server = await stage.prepare?.();
  const database = await openDatabase<DevicesTables>({ url: server?.url, home, onLostConnection: () => {} });
  await migrate(database as Database<unknown>, migrations, () => 1);
  const history = openHistory({ database, keepDays: 730, now: clock.now, onFault });
  t.after(async () => {
    await history.close();
    await database.close();
    await server?.[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
    assert.deepEqual(faults, []);
  });
  const model = createModel({ now: clock.now, onFault });
  model.declare("homie", thermometer());
  history.record("w", model);
  const send = (temperature_c: number, later: number) => {
    clock.nowMs += later;
    model.sample("oven", "heat", { temperature_c, note: "not a number" });
  };
  const read = (fromMs: number, toMs: number, points: number, samples: readonly Sample[] = []) =>
    history.read(
      { workspaceId: "w", device: "oven", capability: "heat", fields: ["temperature_c"], fromMs, toMs, points },
      samples,
    );
  return { clock, database, history, model, send, read };
}

/** How many turns of the event loop others had meanwhile. */
async function turnsOf(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const nextTurn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(nextTurn);
  };
  setImmediate(nextTurn);
  await work();
  isOver = true;
  return turns;
}

/** History in the database, on every engine. */
export function historyLaws(stage: Stage): void {
  describe(`history, ${stage.name}`, () => {
    test("every second has its lowest, highest, mean and last value, also what was not written yet", async (t) => {
      const { clock, send, read } = await historyForTest(t, stage);
      const startMs = clock.nowMs;
      for (const value of [3, 1, 2]) send(value, 100);
      send(10, 1_000);
      assert.deepEqual(await read(startMs, clock.nowMs + 1, 100), {
        sizeMs: 1_000,
        tMs: [startMs, startMs + 1_000],
        fields: { temperature_c: { min: [1, 10], max: [3, 10], mean: [2, 10], last: [2, 10] } },
      });
      send(-5, 0);
      const again = await read(startMs, clock.nowMs + 1, 100);
      assert.deepEqual(again.fields.temperature_c?.min, [1, -5], "a bucket that was written is merged with");
    });

    test("a longer time has minutes and hours; fewer points than there are buckets keep every extreme", async (t) => {
      const { clock, send, read } = await historyForTest(t, stage);
      const startMs = clock.nowMs;
      for (let minute = 0; minute < 180; minute += 1) send(minute === 77 ? 1_000 : minute, 60_000);
      const whole = await read(startMs, clock.nowMs + 1, 5_000);
      assert.equal(whole.tMs.length, 180);
      const few = await read(startMs, clock.nowMs + 1, 10);
      assert.ok(few.tMs.length <= 11, `${few.tMs.length}`);
      assert.equal(Math.max(...(few.fields.temperature_c?.max ?? []).map(Number)), 1_000);
      const year = await read(startMs - 200 * 86_400_000, clock.nowMs + 1, 5_000);
      assert.deepEqual([year.sizeMs, year.tMs.length], [3_600_000, 4]);
    });

    test("what is in memory is read as it came, if it reaches back far enough and is not too much", async (t) => {
      const { clock, model, send, read } = await historyForTest(t, stage);
      send(1, 10);
      const startMs = clock.nowMs;
      for (const value of [2, 3]) send(value, 10);
      const kept = model.kept("oven", "heat", 0);
      const fine = await read(startMs, clock.nowMs + 1, 100, kept);
      assert.deepEqual([fine.sizeMs, fine.fields.temperature_c?.last], [0, [1, 2, 3]]);
      assert.equal((await read(startMs, clock.nowMs + 1, 2, kept)).sizeMs, 1_000);
      assert.equal((await read(startMs - 1_000, clock.nowMs + 1, 100, kept)).sizeMs, 1_000);
    });

    test("two instances that write the same bucket merge", async (t) => {
      const { clock, database, send, read } = await historyForTest(t, stage);
      const other = openHistory({
        ...{ database, keepDays: 730, now: clock.now },
        onFault: (error) => assert.fail(String(error)),
      });
      const model = createModel({ now: clock.now, onFault: () => {} });
      model.declare("homie", thermometer());
      other.record("w", model);
      const startMs = clock.nowMs;
      send(1, 0);
      model.sample("oven", "heat", { temperature_c: 5 });
      await Promise.all([other.close(), read(startMs, startMs + 1, 10)]);
      const both = await read(startMs, startMs + 1, 10);
      assert.deepEqual(both.fields.temperature_c, { ...both.fields.temperature_c, min: [1], max: [5], mean: [3] });
    });

    test("old buckets are forgotten, and all of a workspace that is removed", async (t) => {
      const { clock, database, history, send, read } = await historyForTest(t, stage);
      const startMs = clock.nowMs;
      send(1, 0);
      send(2, 5_000);
      await history.flush();
      const store = createHistoryStore(database);
      await store.forget(1, startMs / 1_000 + 5);
      assert.deepEqual((await read(startMs, clock.nowMs + 1, 100)).fields.temperature_c?.last, [2]);
      assert.deepEqual(await history.workspaces(10), ["w"]);
      await history.removeOf("w");
      assert.deepEqual((await read(startMs, clock.nowMs + 1, 100)).tMs, []);
      send(3, 0);
      assert.deepEqual((await read(startMs, clock.nowMs + 1, 100)).fields.temperature_c?.last, [3]);
    });

    test("HISTORY_KEEP: what is older is not kept, of any size", async (t) => {
      const { clock, database, history, send, read } = await historyForTest(t, stage);
      const startMs = clock.nowMs;
      send(1, 0);
      await history.flush();
      clock.nowMs += 3 * 86_400_000;
      const short = openHistory({
        database,
        keepDays: 2,
        now: clock.now,
        onFault: (error) => assert.fail(String(error)),
      });
      assert.equal((await read(startMs, clock.nowMs, 100)).tMs.length, 1);
      await short.forget();
      assert.deepEqual((await read(startMs, clock.nowMs, 100)).tMs, []);
      await short.close();
    });

    const rule = ruleTest(stage.name);
    rule("very many values are written, forgotten and removed in several turns of the event loop", async (t) => {
      const { clock, history, database } = await historyForTest(t, stage);
      const count = 3_000;
      const values = Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
      let tell: (sample: Sample) => void = () => {};
      const model = {
        on(_: unknown, listen: typeof tell) {
          tell = listen;
          return () => {};
        },
      };
      history.record("w2", model as never);
      tell({ device: "d", capability: "c", tMs: clock.nowMs, values });
      const written = await turnsOf(() => history.flush());
      const rows = async () =>
        (await database.shortLived.selectFrom("devices_buckets").select("n").execute()).map(({ n }) => Number(n));
      assert.deepEqual(
        await rows(),
        Array.from({ length: 3 * count }, () => 1),
      );
      clock.nowMs += 2 * 86_400_000;
      const forgotten = await turnsOf(() => history.forget());
      assert.equal((await rows()).length, 2 * count);
      const removed = await turnsOf(() => history.removeOf("w2"));
      assert.deepEqual(await rows(), []);
      for (const [turns, least] of [
        [written, 15],
        [forgotten, 1],
        [removed, 2],
      ] as const)
        assert.ok(turns >= least, `${turns} turns, at least ${least}`);
    });

    test("numbers are stored as they are; those that nothing measures, and whose sum would be infinite, are left out", async (t) => {
      const { clock, send, read } = await historyForTest(t, stage);
      const startMs = clock.nowMs;
      for (const value of [1e100, -1e100, 5e-324, 0.1 + 0.2]) send(value, 1_000);
      for (const value of [Number.MAX_VALUE, Number.MAX_VALUE, -1e200]) send(value, 0);
      const { fields } = await read(startMs, clock.nowMs + 1, 100);
      assert.deepEqual(fields.temperature_c?.last, [1e100, -1e100, 5e-324, 0.1 + 0.2]);
    });
  });
}
