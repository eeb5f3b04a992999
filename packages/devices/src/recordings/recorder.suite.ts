import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { DEVICES_LIMITS, type Recording } from "@backplane/contract/devices";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { until } from "../../../../scripts/testing/until.ts";
import { migrations } from "../migrations.ts";
import { createModel } from "../model/model.ts";
import type { Control } from "../services.ts";
import type { DevicesTables } from "../tables.ts";
import { createClock, thermometer } from "../testing/devices.ts";
import { readMcap } from "../testing/mcap-reader.ts";
import { recordedControl } from "./controls.ts";
import { createMemory } from "./memory.ts";
import { openRecordings } from "./recordings.ts";
import { msOf } from "./times.ts";

export type Stage = { name: string; prepare?: () => Promise<AsyncDisposable & { url: string }> };

async function recordingsForTest(t: TestContext, stage: Stage, { recordingsMaxBytes = 50_000_000 } = {}) {
  const clock = createClock();
  const faults: unknown[] = [];
  const notes: string[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const home = mkdtempSync(join(tmpdir(), "recordings-"));
  const server = await stage.prepare?.();
  const database = await openDatabase<DevicesTables>({ url: server?.url, home, onLostConnection: () => {} });
  await migrate(database as Database<unknown>, migrations, () => 1);
  const settings = { projectsFolder: home, recordingsMaxBytes } as Parameters<typeof openRecordings>[0]["settings"];
  const note = (_workspace: string, _level: string, _source: string, text: string) => void notes.push(text);
  const book = openRecordings({ database, settings, now: clock.now, note, onFault });
  const model = createModel({ now: clock.now, onFault });
  const memory = createMemory(model, { now: clock.now, onFault });
  model.declare("homie", thermometer());
  model.state("oven", "ready");
  const ends: (() => Promise<void>)[] = [];
  const open = async (workspaceId = "w") => {
    const recorder = book.hold(workspaceId, { model, memory });
    ends.push(recorder.close);
    await recorder.settled();
    return recorder;
  };
  t.after(async () => {
    for (const end of ends) await end();
    await database.close();
    await server?.[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
    assert.deepEqual(faults, []);
  });
  const folder = join(home, ".recordings", "w");
  return {
    ...{ clock, notes, book, model, memory, open, database, folder },
    send(temperature_c: number, later = 10) {
      clock.nowMs += later;
      model.sample("oven", "heat", { temperature_c });
    },
    pathOf: ({ id }: Pick<Recording, "id">) => join(folder, `${id}.mcap`),
    read: ({ id }: Pick<Recording, "id">) => readMcap(readFileSync(join(folder, `${id}.mcap`))),
  };
}

const valuesOf = ({ messages }: ReturnType<typeof readMcap>, topic = "/oven/heat") =>
  messages.filter((one) => one.topic === topic).map(({ value }) => (value as { temperature_c: number }).temperature_c);
const isProblem = (code: string, detail?: string) => (error: unknown) =>
  error instanceof Problem && error.code === code && (detail === undefined || error.detail === detail);
const BY = { by: "ada" };

/** Recordings on every database. */
export function recorderLaws(stage: Stage): void {
  const rule = ruleTest(stage.name);
  describe(`recordings, ${stage.name}`, () => {
    test("a recording has every sample, line, device and command of its time, once", async (t) => {
      const { clock, model, memory, open, send, read, book, pathOf } = await recordingsForTest(t, stage);
      const recorder = await open();
      send(1);
      clock.nowMs += 1;
      const news: Recording[] = [];
      recorder.onChange((one) => "recording" in one && news.push(one.recording));
      const started = await recorder.start({ ...BY, name: "Test 5" });
      assert.deepEqual([started.state, recorder.current()?.id], ["recording", started.id]);
      for (const value of [2, 3, 4]) send(value);
      model.line("oven", "warn", "heater", "too hot", { limit_c: 80 });
      memory.addControl({ tMs: clock.nowMs, level: "error", text: "ada stopped all devices." });
      model.state("oven", "sleeping");
      const stopped = await recorder.stop(started.id);
      send(5);
      const file = read(started);
      assert.deepEqual(valuesOf(file), [2, 3, 4]);
      const lines = file.messages
        .filter(({ topic }) => topic === "/log")
        .map(({ value }) => value as { message: string });
      assert.deepEqual(
        [lines[0]?.message, file.messages.filter(({ topic }) => topic === "/control").length],
        ["too hot", 1],
      );
      const states = file.messages
        .filter(({ topic }) => topic === "/devices")
        .map(({ value }) => (value as { device: { state: string } }).device.state);
      assert.deepEqual(states, ["ready", "sleeping"]);
      assert.deepEqual(
        [stopped.state, stopped.name, stopped.by, stopped.bytes],
        ["whole", "Test 5", "ada", statSync(pathOf(started)).size],
      );
      const { marks, recorded } = (await book.find("w", started.id)).summary;
      assert.deepEqual(recorded, [{ device: "oven", capability: "heat", kind: "test", messages: 3 }]);
      assert.deepEqual(
        marks.map(({ text }) => text),
        ["oven: too hot", "ada stopped all devices."],
      );
      assert.equal(stopped.preview[0]?.field, "temperature_c");
      assert.deepEqual([news[0]?.state, news.at(-1)?.state, recorder.current()], ["recording", "whole", null]);
      assert.deepEqual(await recorder.stop(started.id), stopped, "stopping again changes nothing");
    });

    test("a recording reaches back, and joins what was in memory with what comes", async (t) => {
      const { clock, open, send, read } = await recordingsForTest(t, stage);
      const recorder = await open();
      for (let value = 0; value < 30; value += 1) send(value, 100);
      const started = await recorder.start({ ...BY, lastMs: 1_950 });
      for (let value = 30; value < 40; value += 1) {
        send(value, 100);
        if (value % 3 === 0) await new Promise(setImmediate);
      }
      const stopped = await recorder.stop(started.id);
      const file = read(started);
      assert.deepEqual(
        valuesOf(file),
        Array.from({ length: 30 }, (_, i) => i + 10),
      );
      const times = file.messages.filter(({ topic }) => topic === "/oven/heat").map(({ logTime }) => msOf(logTime));
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
      assert.equal(Date.parse(stopped.end), clock.nowMs);
    });

    test("the last minutes can be kept by one call, also while something is being recorded", async (t) => {
      const { clock, open, send, read } = await recordingsForTest(t, stage);
      const recorder = await open();
      for (let value = 0; value < 5; value += 1) send(value, 1_000);
      clock.nowMs += 1;
      const running = await recorder.start(BY);
      send(5);
      const kept = await recorder.start({ ...BY, keep: true, name: "What just happened" });
      assert.deepEqual([kept.state, valuesOf(read(kept))], ["whole", [0, 1, 2, 3, 4, 5]]);
      assert.equal(Date.parse(kept.end) - Date.parse(kept.start), 4_011, "it begins where something is");
      assert.equal(recorder.current()?.id, running.id);
      await recorder.stop(running.id);
      assert.deepEqual(valuesOf(read(running)), [5]);
    });

    test("a device that describes itself differently, goes or is not wanted leaves nothing out of order", async (t) => {
      const { open, send, read, model, clock } = await recordingsForTest(t, stage);
      const recorder = await open();
      model.declare("homie", { ...thermometer(), id: "other" });
      await assert.rejects(recorder.start({ ...BY, devices: ["nobody"] }), isProblem("device-unknown"));
      const started = await recorder.start({ ...BY, devices: ["oven"] });
      clock.nowMs += 1;
      send(1);
      model.sample("other", "heat", { temperature_c: 99 });
      const [heat] = thermometer().capabilities;
      const fields = { ...heat?.fields, door_open: { datatype: "boolean" } } as never;
      model.declare("homie", { ...thermometer(), capabilities: [{ ...(heat as never as object), fields } as never] });
      send(2);
      model.sample("oven", "heat", { door_open: true, temperature_c: 3 });
      model.remove("oven");
      await recorder.stop(started.id);
      assert.deepEqual(valuesOf(read(started)), [1, 2, 3]);
      assert.deepEqual(valuesOf(read(started), "/other/heat"), []);
    });

    test("of many who start at once, one does; stopping, renaming and removing at once leave nothing half done", async (t) => {
      const { open, book, folder } = await recordingsForTest(t, stage);
      const recorder = await open();
      const starts = await Promise.allSettled(Array.from({ length: 8 }, () => recorder.start(BY)));
      const [won, ...more] = starts.filter(({ status }) => status === "fulfilled");
      assert.equal(more.length, 0);
      const { id } = (won as PromiseFulfilledResult<Recording>).value;
      for (const { reason } of starts.filter((one) => one.status === "rejected"))
        assert.ok(isProblem("already-recording")(reason));
      await Promise.allSettled([
        ...[recorder.stop(id), recorder.rename(id, "x"), recorder.remove(id), recorder.stop(id), recorder.remove(id)],
      ]);
      assert.deepEqual((await book.list("w")).recordings, []);
      assert.deepEqual(readdirSync(folder), []);
      await assert.rejects(recorder.stop(id), isProblem("recording-unknown"));
    });

    test("a recording ends by itself when there is no space left, and the next one is refused", async (t) => {
      const { clock, open, model, notes, read, book } = await recordingsForTest(t, stage, {
        recordingsMaxBytes: 30_000,
      });
      const recorder = await open();
      const { id } = await recorder.start(BY);
      let sent = 0;
      await until("it has ended", () => {
        for (let i = 0; i < 200; i += 1) {
          clock.nowMs += 10;
          sent += 1;
          model.sample("oven", "heat", { temperature_c: Math.random() });
        }
        return recorder.current() === null;
      });
      const ended = await recorder.stop(id);
      const reason = "There is no space left for recordings. Remove some, or set RECORDINGS_MAX_BYTES higher.";
      assert.deepEqual([ended.state, ended.reason], ["whole", reason]);
      assert.ok(ended.bytes <= 30_000 + 2 * DEVICES_LIMITS.chunkBytes, `${ended.bytes} bytes`);
      assert.deepEqual(notes, [`The recording "${ended.name}" has ended: ${reason}`]);
      const { length } = valuesOf(read({ id }));
      assert.ok(length > 0 && length <= sent);
      const detail = "Remove recordings first, or set RECORDINGS_MAX_BYTES higher.";
      for (const keep of [true, false])
        await assert.rejects(recorder.start({ ...BY, keep }), isProblem("recordings-full", detail));
      assert.equal((await book.list("w")).recordings.length, 1, "what was refused leaves nothing");
      await recorder.remove(id);
      assert.equal((await recorder.start(BY)).state, "recording");
    });

    rule("a recording ends by itself after 24 hours, whole, and the next one can start", async (t) => {
      const { clock, open, send, notes, read } = await recordingsForTest(t, stage);
      const recorder = await open();
      const { id } = await recorder.start(BY);
      send(1);
      send(2, DEVICES_LIMITS.maxRecordingMs - 10);
      await until("the last moment is written", () => recorder.current()?.messages === 2);
      send(3, 1);
      await until("it has ended", () => recorder.current() === null);
      const ended = await recorder.stop(id);
      const reason = "It is 24 hours long, the most that a recording can have. Start another one.";
      assert.deepEqual([ended.state, ended.reason, valuesOf(read(ended))], ["whole", reason, [1, 2, 3]]);
      assert.deepEqual(notes, [`The recording "${ended.name}" has ended: ${reason}`]);
      clock.nowMs += 1;
      assert.equal((await recorder.start(BY)).state, "recording");
    });

    rule(
      `a workspace has at most ${DEVICES_LIMITS.maxRecordings} recordings, and one that is removed makes room`,
      async (t) => {
        const { open, send, database } = await recordingsForTest(t, stage);
        const recorder = await open();
        send(1);
        const first = await recorder.start({ ...BY, keep: true });
        const row = await database.durable.selectFrom("devices_recordings").selectAll().executeTakeFirstOrThrow();
        const others = Array.from({ length: DEVICES_LIMITS.maxRecordings - 2 }, (_, i) => ({ ...row, id: `r${i}` }));
        for (let i = 0; i < others.length; i += 100)
          await database.durable
            .insertInto("devices_recordings")
            .values(others.slice(i, i + 100))
            .execute();
        await recorder.start({ ...BY, keep: true });
        const detail = "A workspace has at most 1000 recordings. Remove some first.";
        for (const keep of [true, false])
          await assert.rejects(recorder.start({ ...BY, keep }), isProblem("too-many-of-these", detail));
        assert.equal((await (await open("other")).start({ ...BY, keep: true })).state, "whole", "each has its own");
        await recorder.remove(first.id);
        assert.equal((await recorder.start({ ...BY, keep: true })).state, "whole");
      },
    );

    test("what a killed process recorded is listed as cut, and can be read", async (t) => {
      const { open, book, send, read, pathOf, database } = await recordingsForTest(t, stage);
      const recorder = await open();
      const started = await recorder.start(BY);
      for (let value = 0; value < 10; value += 1) send(value, 500);
      const part = `${pathOf(started)}.tmp`;
      await until("a chunk is written", () => statSync(part).size > 500);
      // As if it had been killed: nothing of its end is written, and the last bytes are missing.
      const copy = readFileSync(part);
      await recorder.stop(started.id);
      rmSync(pathOf(started));
      writeFileSync(part, copy);
      // The row is some seconds older than the file.
      const asOfBegin = { state: "recording", bytes: 0, summary: "{}" } as const;
      await database.durable.updateTable("devices_recordings").set(asOfBegin).execute();
      await database.durable
        .insertInto("devices_recordings")
        .values({
          ...{
            id: "gone",
            workspace_id: "w",
            name: "gone",
            state: "recording",
            recorded_by: "ada",
            start_ms: 1,
            end_ms: 1,
          },
          bytes: 0,
          summary: "{}",
          reason: null,
        })
        .execute();
      await open();
      const { recordings } = await book.list("w");
      assert.deepEqual(
        recordings.map(({ id, state }) => [id, state]),
        [[started.id, "cut"]],
      );
      assert.match(recordings[0]?.reason ?? "", /ended while/);
      const values = valuesOf(read(started));
      assert.deepEqual(
        values,
        Array.from({ length: values.length }, (_, i) => i),
      );
      const { bytes, messages, channels, preview = [] } = recordings[0] ?? {};
      assert.deepEqual([bytes, messages, channels], [statSync(pathOf(started)).size, values.length, 1]);
      assert.deepEqual(
        preview.map(({ low, high }) => [low, high]),
        [[0, values.at(-1)]],
        "the preview is that of the file",
      );
    });

    test("a process that is killed before it writes down that a recording has ended leaves it as it is", async (t) => {
      const { open, book, send, pathOf, database } = await recordingsForTest(t, stage);
      const recorder = await open();
      const started = await recorder.start(BY);
      for (let value = 0; value < 10; value += 1) send(value, 500);
      const ended = await recorder.stop(started.id);
      const file = readFileSync(pathOf(started));
      const asOfBegin = { state: "recording", bytes: 0, end_ms: 0, summary: "{}" } as const;
      await database.durable.updateTable("devices_recordings").set(asOfBegin).execute();
      await open();
      const [listed] = (await book.list("w")).recordings;
      assert.ok(readFileSync(pathOf(started)).equals(file));
      assert.deepEqual(listed, { ...ended, state: "cut", reason: listed?.reason });
    });

    test("a workspace has its own recordings, and all of them go with it", async (t) => {
      const { open, book, send, folder } = await recordingsForTest(t, stage);
      const [mine, theirs] = [await open("w"), await open("other")];
      send(1);
      const kept = await mine.start({ ...BY, keep: true });
      await theirs.start({ ...BY, keep: true });
      await assert.rejects(book.find("other", kept.id), isProblem("recording-unknown"));
      await assert.rejects(theirs.remove(kept.id), isProblem("recording-unknown"));
      await assert.rejects(theirs.rename(kept.id, "x"), isProblem("recording-unknown"));
      await book.removeOf("w");
      assert.deepEqual((await book.list("w")).recordings, []);
      assert.equal((await book.list("other")).recordings.length, 1);
      assert.throws(() => readdirSync(folder));
    });

    test("what looks like a secret in a command is not recorded", async (t) => {
      const { clock, open, read, memory } = await recordingsForTest(t, stage);
      const control = recordedControl(
        { command: async () => ({ ok: true, tookMs: 1 }) } as unknown as Control,
        memory,
        clock.now,
      );
      const params = { wifi_password: "hunter2", velocity_rad_s: 3 };
      const actor = { user: "ada", key: "k", isProgram: false };
      await control.command({ device: "oven", capability: "heat" }, { name: "join", params }, actor);
      const kept = await (await open()).start({ ...BY, keep: true });
      const [told] = read(kept).messages.filter(({ topic }) => topic === "/control");
      const { params: recorded } = (told?.value ?? {}) as { params?: object };
      assert.deepEqual(recorded, { wifi_password: "…", velocity_rad_s: 3 });
    });

    test("a recorder that closes ends what it records, and says why", async (t) => {
      const { open, send, read, book } = await recordingsForTest(t, stage);
      const recorder = await open();
      const { id } = await recorder.start(BY);
      send(1);
      await recorder.close();
      const { state, reason } = await book.find("w", id);
      assert.deepEqual([state, reason, valuesOf(read({ id }))], ["whole", "Backplane was stopped.", [1]]);
    });
  });
}
