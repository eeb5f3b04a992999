import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { isLongRun } from "../../../../scripts/testing/long.ts";
import { until } from "../../../../scripts/testing/until.ts";
import { migrations } from "../migrations.ts";
import { createModel } from "../model/model.ts";
import type { DevicesTables } from "../tables.ts";
import { readMcap } from "../testing/mcap-reader.ts";
import { createMemory } from "./memory.ts";
import { openRecordings } from "./recordings.ts";

const PROGRAM = fileURLToPath(new URL("../testing/recording-process.ts", import.meta.url));
const TIMES = isLongRun ? 30 : 1;

test("a process that is killed while it records leaves a recording with all that it said to be written", async (t) => {
  for (let time = 0; time < TIMES; time += 1) {
    const home = mkdtempSync(join(tmpdir(), "killed-"));
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const open = () => openDatabase<DevicesTables>({ url: undefined, home, onLostConnection: () => {} });
    const first = await open();
    await migrate(first as Database<unknown>, migrations, () => 1);
    await first.close();

    const child = spawn(process.execPath, [PROGRAM, home], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (text) => {
      said += String(text);
    });
    await until("something was written", () => said.split("\n").length > 3);
    // At any moment, also in the middle of a chunk.
    await sleep(Math.random() * 1_000);
    child.kill("SIGKILL");
    await once(child, "exit");
    const written = Number(said.trimEnd().split("\n").at(-1));

    const database = await open();
    const now = Date.now;
    const onFault = (error: unknown) => assert.fail(String(error));
    const settings = { projectsFolder: home, recordingsMaxBytes: 1e9 } as Parameters<
      typeof openRecordings
    >[0]["settings"];
    const book = openRecordings({ database, settings, now, note: () => {}, onFault });
    const model = createModel({ now, onFault });
    const recorder = book.hold("w", { model, memory: createMemory(model, { now, onFault }) });
    await recorder.settled();
    const { recordings } = await book.list("w");
    assert.deepEqual([recordings.length, recordings[0]?.state], [1, "cut"]);
    const path = join(home, ".recordings", "w", `${recordings[0]?.id}.mcap`);
    const values = readMcap(readFileSync(path))
      .messages.filter(({ topic }) => topic === "/oven/heat")
      .map(({ value }) => (value as { temperature_c: number }).temperature_c);
    assert.deepEqual(
      values,
      Array.from({ length: values.length }, (_, i) => i),
    );
    assert.ok(values.length >= written && written > 0, `${values.length} of ${written}`);
    assert.equal((await recorder.start({ by: "ada", keep: true })).state, "whole", "and the next one works");
    await recorder.close();
    await database.close();
  }
});
